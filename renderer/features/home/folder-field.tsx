import Button from '@mui/material/Button';
import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import { useLink, useShell } from '../../app/workbench-context.tsx';
import { text } from '../../text/en.ts';

/** A folder by its path; in the desktop app also by the system's dialog. */
export function FolderField({ value, onChange }: { readonly value: string; readonly onChange: (folder: string) => void }) {
  const link = useLink();
  const isDesktop = useShell()?.host === 'desktop';
  const choose = async () => {
    const { folder } = await link.call('project.chooseFolder', {});
    if (folder !== undefined) onChange(folder);
  };
  return (
    <Box sx={{ display: 'flex', gap: 1, alignItems: 'flex-start' }}>
      <TextField
        size="small"
        fullWidth
        label={text.home.folder}
        helperText={isDesktop ? undefined : text.home.folderHelp}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {isDesktop && <Button onClick={() => void choose()}>{text.home.choose}</Button>}
    </Box>
  );
}
