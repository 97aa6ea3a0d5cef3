import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import type { Defaults } from '../../../shared/environment/layers.ts';
import { text } from '../../text/text.ts';

interface Props {
  readonly waves: Defaults['waves'];
  /** '' for none. */
  readonly value: string;
  readonly onChange: (wave: string) => void;
}

/** The wave that a machine takes values from. */
export function WaveField({ waves, value, onChange }: Props) {
  return (
    <TextField
      select
      size="small"
      label={text.configure.wave}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      sx={{ width: 220 }}
      slotProps={{ inputLabel: { shrink: true }, select: { displayEmpty: true } }}
    >
      <MenuItem value="">{text.configure.noWave}</MenuItem>
      {waves.map(({ name }) => (
        <MenuItem key={name} value={name}>
          {name}
        </MenuItem>
      ))}
    </TextField>
  );
}
