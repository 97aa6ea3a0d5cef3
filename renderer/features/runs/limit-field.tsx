import TextField from '@mui/material/TextField';
import { parseBytes } from '../../components/quantities.ts';
import { text } from '../../text/en.ts';

export function isLimit(written: string): boolean {
  return written.trim() === '' || parseBytes(written) !== undefined;
}

/** A bandwidth limit as people write it. */
export function LimitField({ value, onChange, autoFocus = false }: { readonly value: string; readonly onChange: (written: string) => void; readonly autoFocus?: boolean }) {
  const isWrong = !isLimit(value);
  return (
    <TextField
      size="small"
      label={text.runs.limit}
      value={value}
      autoFocus={autoFocus}
      error={isWrong}
      helperText={isWrong ? text.runs.limitWrong : text.runs.limitHelp}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
