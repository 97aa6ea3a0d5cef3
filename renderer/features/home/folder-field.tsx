import Button from '@mui/material/Button';
import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import { useLink, useShell } from '../../app/workbench-context.tsx';
import { text } from '../../text/text.ts';

interface Props {
  readonly value: string;
  readonly onChange: (folder: string) => void;
  /** Whether a folder that is not there yet is made. */
  readonly isMade?: boolean;
}

/** A folder by its path; in the desktop app also by the system's dialog. */
export function FolderField({ value, onChange, isMade = false }: Props) {
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
        helperText={isDesktop ? text.home.folderChosen : isMade ? text.home.folderMade : text.home.folderHelp}
        // On the desktop a folder counts when it was chosen in the system's dialog.
        slotProps={{ htmlInput: { readOnly: isDesktop, spellCheck: false } }}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {isDesktop && <Button onClick={() => void choose()}>{text.home.choose}</Button>}
    </Box>
  );
}
