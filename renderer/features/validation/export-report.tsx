import Button from '@mui/material/Button';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { useState } from 'react';
import { formatCsv } from '../../../shared/reports/csv.ts';
import { formatHtml } from '../../../shared/reports/html.ts';
import { formatJson } from '../../../shared/reports/json.ts';
import { formatSarif } from '../../../shared/reports/sarif.ts';
import { timeText } from '../../components/quantities.ts';
import { saveFile } from '../../components/save-file.ts';
import { text } from '../../text/text.ts';
import type { CheckedFile } from './checked-file.ts';

const formats = {
  html: {
    ending: 'html',
    type: 'text/html',
    make: (files: readonly Report[]) => formatHtml(files, timeText(new Date().toISOString())),
  },
  csv: { ending: 'csv', type: 'text/csv', make: (files: readonly Report[]) => formatCsv(files) },
  json: { ending: 'json', type: 'application/json', make: (files: readonly Report[]) => formatJson(files) },
  sarif: { ending: 'sarif', type: 'application/sarif+json', make: (files: readonly Report[]) => formatSarif(files) },
} as const;

type Report = { readonly file: string; readonly findings: CheckedFile['findings'] };

/** Saves everything that was found, whatever the table shows, in a form that others can read or work with. */
export function ExportReport({ files }: { readonly files: readonly CheckedFile[] }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const save = (format: keyof typeof formats) => {
    const { ending, type, make } = formats[format];
    saveFile(`environment-check.${ending}`, make(files.map(({ name, findings }) => ({ file: name, findings }))), type);
    setAnchor(null);
  };
  return (
    <>
      <Button aria-haspopup="menu" aria-expanded={anchor !== null} onClick={(event) => setAnchor(event.currentTarget)}>
        {text.validation.export}
      </Button>
      <Menu anchorEl={anchor} open={anchor !== null} onClose={() => setAnchor(null)}>
        {(Object.keys(formats) as (keyof typeof formats)[]).map((format) => (
          <MenuItem key={format} onClick={() => save(format)}>
            {text.validation.formats[format]}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
}
