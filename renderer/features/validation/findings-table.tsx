import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useMemo } from 'react';
import { fonts } from '../../app/theme.ts';
import { FindingMessage } from '../../components/finding-message.tsx';
import { LearnMoreOfFinding } from '../../components/manual/learn-more.tsx';
import { PagedTable, type Column } from '../../components/paged-table.tsx';
import { SeverityLabel } from '../../components/severity-label.tsx';
import { text, translatedFinding } from '../../text/text.ts';
import type { FindingRow } from './checked-file.ts';

const severities = ['error', 'warning', 'info'] as const;

interface Props {
  readonly rows: readonly FindingRow[];
  readonly onFix: (row: FindingRow) => void;
  readonly onEdit: (file: string) => void;
}

/** Findings with their places; what can be mended with certainty has a button for it. */
export function FindingsTable({ rows, onFix, onEdit }: Props) {
  const columns = useMemo(() => columnsWith(onFix, onEdit), [onFix, onEdit]);
  return <PagedTable label={text.validation.title} columns={columns} rows={rows} rowKey={({ id }) => id} />;
}

function columnsWith(onFix: Props['onFix'], onEdit: Props['onEdit']): Column<FindingRow>[] {
  return [
    {
      id: 'severity',
      label: text.validation.severity,
      sortBy: ({ severity }) => severities.indexOf(severity),
      cell: ({ severity }) => <SeverityLabel severity={severity}>{text.validation[severity]}</SeverityLabel>,
    },
    {
      id: 'file',
      label: text.validation.file,
      sortBy: ({ file, location }) => `${file}:${String(location?.line ?? 0).padStart(8, '0')}`,
      cell: ({ file, location }) => (location === undefined ? file : `${file}:${location.line}`),
    },
    {
      id: 'place',
      label: text.validation.place,
      sortBy: ({ path }) => path,
      cell: ({ path }) => (
        <Typography component="code" variant="body2" sx={{ fontFamily: fonts.code, overflowWrap: 'anywhere' }}>
          {path === '' ? '/' : path}
        </Typography>
      ),
    },
    {
      id: 'finding',
      label: text.validation.finding,
      sortBy: ({ message, rule }) => translatedFinding(rule)?.title ?? message,
      cell: ({ rule, ...row }) => (
        <>
          <FindingMessage finding={{ rule, ...row }} suggestion="below" />
          <Typography variant="caption" component="div" sx={{ color: 'text.secondary' }}>
            {rule} <LearnMoreOfFinding rule={rule} />
          </Typography>
        </>
      ),
    },
    {
      id: 'fix',
      label: text.validation.mend,
      cell: (row) =>
        row.fix === undefined ? (
          <Button size="small" aria-label={text.editor.editOf(row.file)} onClick={() => onEdit(row.file)}>
            {text.editor.edit}
          </Button>
        ) : (
          <Button size="small" aria-label={text.validation.mendOf(row.path)} onClick={() => onFix(row)}>
            {text.validation.mendNow}
          </Button>
        ),
    },
  ];
}
