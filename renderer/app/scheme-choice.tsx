import MenuItem from '@mui/material/MenuItem';
import Select from '@mui/material/Select';
import { useColorScheme } from '@mui/material/styles';
import { text } from '../text/en.ts';

/** Light, dark, or as the system has it. */
export function SchemeChoice() {
  const { mode, setMode } = useColorScheme();
  return (
    <Select
      size="small"
      variant="standard"
      disableUnderline
      value={mode ?? 'system'}
      onChange={(event) => setMode(event.target.value as 'light' | 'dark' | 'system')}
      inputProps={{ 'aria-label': text.app.scheme }}
      sx={{ color: 'inherit', '& .MuiSelect-icon': { color: 'inherit' } }}
    >
      <MenuItem value="system">{text.app.system}</MenuItem>
      <MenuItem value="light">{text.app.light}</MenuItem>
      <MenuItem value="dark">{text.app.dark}</MenuItem>
    </Select>
  );
}
