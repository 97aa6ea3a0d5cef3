import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import TextField from '@mui/material/TextField';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Typography from '@mui/material/Typography';
import { useDeferredValue, useMemo, useState } from 'react';
import { text } from '../../text/text.ts';
import { mendFile, savedFile } from './check-files.ts';
import { countFindings, findingRows, type CheckedFile, type FindingRow, type SeverityFilter } from './checked-file.ts';
import { ExportReport } from './export-report.tsx';
import { FindingsTable } from './findings-table.tsx';
import { UnsavedFiles } from './unsaved-files.tsx';

const filters = ['all', 'error', 'warning', 'info'] as const;

interface Props {
  readonly files: readonly CheckedFile[];
  readonly onChange: (files: readonly CheckedFile[]) => void;
  readonly onEdit: (file: string) => void;
}

/** What was found: filtered, mended where that is certain, saved as a report. */
export function CheckResults({ files, onChange, onEdit }: Props) {
  const [filter, setFilter] = useState<SeverityFilter>('all');
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search);
  const { errors, warnings } = countFindings(files);
  const rows = useMemo(() => findingRows(files, filter, wanted), [files, filter, wanted]);
  const mendable = rows.filter(({ fix }) => fix !== undefined);
  const firstText = files.find((file) => file.text !== undefined);
  const mend = (chosen: readonly FindingRow[]) => {
    const byFile = Map.groupBy(chosen, ({ file }) => file);
    onChange(files.map((file) => mendFile(file, byFile.get(file.name) ?? [])));
  };
  const saved = (done: readonly CheckedFile[]) =>
    onChange(files.map((file) => (done.includes(file) ? savedFile(file) : file)));
  return (
    <Paper variant="outlined" sx={{ p: 2, display: 'flex', flexDirection: 'column', gap: 2 }}>
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap' }}>
        <Typography role="status" sx={{ flexGrow: 1, fontWeight: 600 }}>
          {text.validation.summary(files.length, errors, warnings)}
        </Typography>
        {firstText !== undefined && <Button onClick={() => onEdit(firstText.name)}>{text.editor.editFiles}</Button>}
        <ExportReport files={files} />
        <Button onClick={() => onChange([])}>{text.validation.clear}</Button>
      </Box>
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap' }}>
        <TextField
          type="search"
          size="small"
          label={text.validation.search}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          sx={{ width: 280 }}
        />
        <ToggleButtonGroup
          size="small"
          exclusive
          value={filter}
          aria-label={text.validation.filter}
          onChange={(_event, value: SeverityFilter | null) => setFilter(value ?? 'all')}
        >
          {filters.map((value) => (
            <ToggleButton key={value} value={value}>
              {text.validation[value]}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
        {mendable.length > 0 && (
          <Button onClick={() => mend(mendable)}>{text.validation.mendAll(mendable.length)}</Button>
        )}
      </Box>
      <Typography variant="caption" sx={{ color: 'text.secondary' }}>
        {text.validation.noCatalog}
      </Typography>
      <UnsavedFiles files={files.filter(({ isChanged }) => isChanged === true)} onSaved={saved} />
      {rows.length > 0 ? (
        <FindingsTable rows={rows} onFix={(row) => mend([row])} onEdit={onEdit} />
      ) : filter === 'all' && wanted.trim() === '' ? (
        <Alert severity="success">{text.validation.none}</Alert>
      ) : (
        <Alert severity="info">{text.validation.noneShown}</Alert>
      )}
    </Paper>
  );
}
