import FormControl from '@mui/material/FormControl';
import FormHelperText from '@mui/material/FormHelperText';
import InputLabel from '@mui/material/InputLabel';
import MenuItem from '@mui/material/MenuItem';
import Select from '@mui/material/Select';
import TextField from '@mui/material/TextField';
import { useId } from 'react';
import { text } from '../../text/text.ts';

const words = text.fleet.membership;
const most = 100;

/** What this computer carries out and reaches, as a person enters it. */
export interface ShareEntry {
  /** Empty: as many as the project runs at the same time. */
  readonly carries: string;
  /** Names of endpoints; empty: all that are accepted here. */
  readonly reaches: readonly string[];
}

export const isShareReady = ({ carries }: ShareEntry): boolean =>
  carries.trim() === '' || (Number.isInteger(Number(carries)) && Number(carries) >= 0 && Number(carries) <= most);

export const shareOf = ({
  carries,
  reaches,
}: ShareEntry): { readonly carries: number | null; readonly reaches: string[] | null } => ({
  carries: carries.trim() === '' ? null : Number(carries),
  reaches: reaches.length === 0 ? null : [...reaches],
});

interface Props {
  readonly entry: ShareEntry;
  /** Names of the project's endpoints. */
  readonly endpoints: readonly string[];
  readonly onChange: (entry: ShareEntry) => void;
}

export function ShareFields({ entry, endpoints, onChange }: Props) {
  const id = useId();
  return (
    <>
      <TextField
        size="small"
        type="number"
        label={words.carries}
        value={entry.carries}
        error={!isShareReady(entry)}
        helperText={words.carriesHelp}
        sx={{ mt: 1 }}
        onChange={(event) => onChange({ ...entry, carries: event.target.value })}
        slotProps={{ htmlInput: { min: 0, max: most } }}
      />
      <FormControl size="small">
        <InputLabel id={id}>{words.reaches}</InputLabel>
        <Select
          multiple
          labelId={id}
          label={words.reaches}
          value={[...entry.reaches]}
          onChange={({ target: { value } }) =>
            onChange({ ...entry, reaches: typeof value === 'string' ? value.split(',') : value })
          }
        >
          {[...new Set([...endpoints, ...entry.reaches])].map((name) => (
            <MenuItem key={name} value={name}>
              {name}
            </MenuItem>
          ))}
        </Select>
        <FormHelperText>{words.reachesHelp}</FormHelperText>
      </FormControl>
    </>
  );
}
