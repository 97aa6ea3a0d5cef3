import TextField from '@mui/material/TextField';
import { text } from '../../text/text.ts';

export function isAtOnce(written: string): boolean {
  const count = Number(written);
  return written.trim() !== '' && Number.isInteger(count) && count >= 1 && count <= 32;
}

/** How many at the same time, 1 to 32. */
export function AtOnceField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (written: string) => void;
}) {
  return (
    <TextField
      size="small"
      label={text.runs.atOnce}
      value={value}
      error={!isAtOnce(value)}
      helperText={text.runs.atOnceHelp}
      onChange={(event) => onChange(event.target.value)}
      slotProps={{ htmlInput: { inputMode: 'numeric' } }}
    />
  );
}
