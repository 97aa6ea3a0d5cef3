import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { DropArea } from '../../components/drop-area.tsx';
import { Screen } from '../../components/screen.tsx';
import { text } from '../../text/en.ts';
import { checkFiles } from './check-files.ts';
import { countFindings, findingRows, type CheckedFile, type SeverityFilter } from './checked-file.ts';
import { exampleDocument } from './example-document.ts';
import { FindingsTable } from './findings-table.tsx';

const filters = ['all', 'error', 'warning', 'info'] as const;

/** Checks environment documents on this computer; nothing leaves it. */
export function ValidationScreen() {
  const [files, setFiles] = useState<readonly CheckedFile[]>([]);
  const [filter, setFilter] = useState<SeverityFilter>('all');
  // A file that comes again replaces what was found in its former text.
  const add = async (chosen: readonly File[]) => {
    const checked = await checkFiles(chosen);
    const names = new Set(checked.map(({ name }) => name));
    setFiles((before) => [...before.filter(({ name }) => !names.has(name)), ...checked]);
  };
  return (
    <Screen title={text.validation.title} lead={text.validation.lead}>
      <DropArea endings={['.yaml', '.yml', '.json', '.jsonc']} prompt={text.validation.drop} choose={text.validation.choose} many onFiles={(chosen) => void add(chosen)} />
      {files.length === 0 ? (
        <Button onClick={() => void add([new File([exampleDocument], 'example.yaml')])} sx={{ alignSelf: 'center' }}>
          {text.validation.sample}
        </Button>
      ) : (
        <Results files={files} filter={filter} onFilter={setFilter} onClear={() => setFiles([])} />
      )}
    </Screen>
  );
}

interface ResultsProps {
  readonly files: readonly CheckedFile[];
  readonly filter: SeverityFilter;
  readonly onFilter: (filter: SeverityFilter) => void;
  readonly onClear: () => void;
}

function Results({ files, filter, onFilter, onClear }: ResultsProps) {
  const { errors, warnings } = countFindings(files);
  const rows = findingRows(files, filter);
  return (
    <Paper variant="outlined" sx={{ p: 2 }}>
      <Stack direction="row" spacing={2} useFlexGap sx={{ mb: 2, alignItems: 'center', flexWrap: 'wrap' }}>
        <Typography role="status" sx={{ flexGrow: 1, fontWeight: 600 }}>
          {text.validation.summary(files.length, errors, warnings)}
        </Typography>
        <ToggleButtonGroup
          size="small"
          exclusive
          value={filter}
          aria-label={text.validation.filter}
          onChange={(_event, value: SeverityFilter | null) => onFilter(value ?? 'all')}
        >
          {filters.map((value) => (
            <ToggleButton key={value} value={value}>
              {text.validation[value]}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
        <Button onClick={onClear}>{text.validation.clear}</Button>
      </Stack>
      {rows.length === 0 ? <Alert severity="success">{text.validation.none}</Alert> : <FindingsTable rows={rows} />}
    </Paper>
  );
}
