import Button from '@mui/material/Button';
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState, type ReactNode } from 'react';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { text } from '../../text/text.ts';
import { FolderField } from './folder-field.tsx';

export function CreateProjectForm() {
  const link = useLink();
  const [name, setName] = useState('');
  const [folder, setFolder] = useState('');
  const create = useAction(() => link.call('project.create', { name: name.trim(), folder: folder.trim() }));
  const isReady = name.trim() !== '' && folder.trim() !== '' && !create.isBusy;
  return (
    <ProjectForm
      title={text.home.create}
      button={text.home.createButton}
      isReady={isReady}
      onSubmit={() => void create.run()}
    >
      {create.error !== undefined && <ErrorNotice error={create.error} />}
      <TextField size="small" label={text.home.name} value={name} onChange={(event) => setName(event.target.value)} />
      <FolderField value={folder} onChange={setFolder} isMade />
    </ProjectForm>
  );
}

export function OpenProjectForm() {
  const link = useLink();
  const [folder, setFolder] = useState('');
  const open = useAction(() => link.call('project.open', { folder: folder.trim() }));
  return (
    <ProjectForm
      title={text.home.openFolder}
      button={text.home.openButton}
      isReady={folder.trim() !== '' && !open.isBusy}
      onSubmit={() => void open.run()}
    >
      {open.error !== undefined && <ErrorNotice error={open.error} />}
      <FolderField value={folder} onChange={setFolder} />
    </ProjectForm>
  );
}

interface Props {
  readonly title: string;
  readonly button: string;
  readonly isReady: boolean;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

function ProjectForm({ title, button, isReady, onSubmit, children }: Props) {
  return (
    <Paper
      variant="outlined"
      component="form"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onSubmit();
      }}
      sx={{ p: 3, display: 'flex', flexDirection: 'column', gap: 2 }}
    >
      <Typography variant="h6" component="h2">
        {title}
      </Typography>
      {children}
      <Box>
        <Button type="submit" variant="contained" disabled={!isReady}>
          {button}
        </Button>
      </Box>
    </Paper>
  );
}
