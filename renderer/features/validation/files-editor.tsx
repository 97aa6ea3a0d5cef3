import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import List from '@mui/material/List';
import ListItemButton from '@mui/material/ListItemButton';
import ListItemText from '@mui/material/ListItemText';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useState, type KeyboardEvent } from 'react';
import { useToast } from '../../app/toasts.tsx';
import { CompareDialog } from '../../forms/document/compare-dialog.tsx';
import { DocumentEditor } from '../../forms/environment/document-editor.tsx';
import { text } from '../../text/text.ts';
import { editFile, mendFile, savedFile, saveFiles } from './check-files.ts';
import { countFindings, type CheckedFile } from './checked-file.ts';

interface Props {
  readonly files: readonly CheckedFile[];
  /** The file to begin with. */
  readonly first: string;
  readonly onChange: (files: readonly CheckedFile[]) => void;
  readonly onClose: () => void;
}

/** Edits checked files as text, several at a time: each is checked as it is written, compared with what was saved, and saved. */
export function FilesEditor({ files, first, onChange, onClose }: Props) {
  const toast = useToast();
  const editable = files.filter((file) => file.text !== undefined);
  const [opened, setOpened] = useState<readonly string[]>([first]);
  const [name, setName] = useState(first);
  const [isComparing, setIsComparing] = useState(false);
  const current = editable.find((file) => file.name === name);
  const unsaved = editable.filter(({ isChanged }) => isChanged === true);
  const open = (next: string) => {
    setName(next);
    setOpened((before) => (before.includes(next) ? before : [...before, next]));
  };
  const replace = (changed: CheckedFile) =>
    onChange(files.map((file) => (file.name === changed.name ? changed : file)));
  const save = (chosen: readonly CheckedFile[]) => {
    if (chosen.length === 0) return;
    saveFiles(chosen);
    onChange(files.map((file) => (chosen.includes(file) ? savedFile(file) : file)));
    toast(text.editor.saved(chosen.length));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    save(event.shiftKey ? unsaved : unsaved.filter((file) => file.name === name));
  };
  return (
    <Paper variant="outlined" sx={{ p: 2 }} onKeyDown={onKeyDown}>
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', flexWrap: 'wrap', mb: 2 }}>
        <Typography variant="h6" component="h2" sx={{ flexGrow: 1, overflowWrap: 'anywhere' }}>
          {text.editor.editing(name)}
        </Typography>
        <Button onClick={onClose}>{text.editor.closeEditor}</Button>
        <Button
          disabled={current?.isChanged !== true}
          aria-label={text.editor.revertOf(name)}
          onClick={() => current?.saved !== undefined && replace(editFile(current, current.saved))}
        >
          {text.editor.revert}
        </Button>
        <Button disabled={current?.isChanged !== true} onClick={() => setIsComparing(true)}>
          {text.editor.compareOpen}
        </Button>
        <Button disabled={unsaved.length === 0} onClick={() => save(unsaved)}>
          {text.validation.saveAll(unsaved.length)}
        </Button>
        <Button
          variant="contained"
          disabled={current?.isChanged !== true}
          onClick={() => current !== undefined && save([current])}
        >
          {text.validation.save}
        </Button>
      </Box>
      <Box
        sx={{
          display: 'grid',
          gap: 2,
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: '200px minmax(0, 1fr)' },
          alignItems: 'start',
        }}
      >
        <List
          dense
          disablePadding
          component="nav"
          aria-label={text.editor.files}
          sx={{ maxHeight: { xs: 160, md: 'calc(100vh - 300px)' }, overflow: 'auto' }}
        >
          {editable.map((file) => {
            const { errors, warnings } = countFindings([file]);
            const state = [
              text.configure.findings(errors, warnings),
              file.isChanged === true ? text.editor.unsavedMark : '',
            ]
              .filter((part) => part !== '')
              .join(' · ');
            return (
              <ListItemButton
                key={file.name}
                component="button"
                selected={file.name === name}
                aria-current={file.name === name ? 'true' : undefined}
                onClick={() => open(file.name)}
                sx={{ width: '100%', textAlign: 'left', borderRadius: '5px' }}
              >
                <ListItemText
                  primary={`${file.name}${file.isChanged === true ? ' •' : ''}`}
                  secondary={state}
                  slotProps={{ primary: { sx: { overflowWrap: 'anywhere' } } }}
                />
              </ListItemButton>
            );
          })}
        </List>
        {editable
          .filter((file) => opened.includes(file.name))
          .map((file) => (
            // Those that were opened stay, so that each keeps its steps back and its cursor.
            <Box key={file.name} sx={{ display: file.name === name ? 'block' : 'none', minWidth: 0 }}>
              <DocumentEditor
                value={file.text ?? ''}
                format={file.format ?? 'yaml'}
                findings={file.findings}
                onChange={(content) => replace(editFile(file, content))}
                onFix={(finding) => replace(mendFile(file, [finding]))}
              />
            </Box>
          ))}
      </Box>
      {isComparing && current !== undefined && (
        <CompareDialog
          comparisons={[
            {
              id: current.name,
              title: current.name,
              format: current.format ?? 'yaml',
              before: { label: text.editor.savedText, content: () => current.saved ?? '' },
              after: { label: text.editor.currentText, content: () => current.text ?? '' },
            },
          ]}
          onClose={() => setIsComparing(false)}
        />
      )}
    </Paper>
  );
}
