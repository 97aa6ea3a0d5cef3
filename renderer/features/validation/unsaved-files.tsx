import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { text } from '../../text/text.ts';
import { saveFiles } from './check-files.ts';
import type { CheckedFile } from './checked-file.ts';

interface Props {
  readonly files: readonly CheckedFile[];
  readonly onSaved: (files: readonly CheckedFile[]) => void;
}

/** One notice for all files that were fixed here and are not saved: save them all, or one by one. */
export function UnsavedFiles({ files, onSaved }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  if (files.length === 0) return null;
  const save = (chosen: readonly CheckedFile[]) => {
    saveFiles(chosen);
    onSaved(chosen);
  };
  return (
    <Alert
      severity="info"
      action={
        <Box sx={{ display: 'flex', gap: 1 }}>
          {files.length > 1 && (
            <Button color="inherit" size="small" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
              {isOpen ? text.validation.hideFiles : text.validation.showFiles}
            </Button>
          )}
          <Button
            color="inherit"
            size="small"
            {...(files.length === 1 ? { 'aria-label': text.validation.saveOf(files[0]!.name) } : {})}
            onClick={() => save(files)}
          >
            {files.length === 1 ? text.validation.save : text.validation.saveAll(files.length)}
          </Button>
        </Box>
      }
    >
      {text.validation.unsaved(files.map(({ name }) => name))}
      {isOpen && files.length > 1 && (
        <Box component="ul" sx={{ m: 0, mt: 1, p: 0, listStyle: 'none', maxHeight: 240, overflow: 'auto' }}>
          {files.map((file) => (
            <Box component="li" key={file.name} sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
              <Box component="span" sx={{ overflowWrap: 'anywhere', flexGrow: 1 }}>
                {file.name}
              </Box>
              <Button
                color="inherit"
                size="small"
                aria-label={text.validation.saveOf(file.name)}
                onClick={() => save([file])}
              >
                {text.validation.save}
              </Button>
            </Box>
          ))}
        </Box>
      )}
    </Alert>
  );
}
