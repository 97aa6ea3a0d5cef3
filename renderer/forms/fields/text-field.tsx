import TextField from '@mui/material/TextField';
import { fonts } from '../../app/theme.ts';
import { fieldHelp, fieldLabel } from '../field-help.tsx';
import type { FieldProps } from '../field-props.ts';

/** Text of one line or several; numbers, lists (one element a line) and JSON too, which are texts while they are edited. */
export function TextInput({ field, value, onChange, onBlur, inputRef, problem }: FieldProps<string>) {
  const hasLines = field.kind === 'multiline' || field.kind === 'list' || field.kind === 'json';
  const placeholder =
    typeof field.meta.example === 'string' || typeof field.meta.example === 'number'
      ? String(field.meta.example)
      : undefined;
  return (
    <TextField
      size="small"
      fullWidth
      label={fieldLabel(field)}
      required={field.required}
      value={value}
      error={problem !== undefined}
      helperText={fieldHelp(field, problem)}
      placeholder={hasLines ? undefined : placeholder}
      multiline={hasLines}
      {...(hasLines ? { minRows: 2, maxRows: 10 } : {})}
      {...(inputRef === undefined ? {} : { inputRef })}
      onChange={(event) => onChange(event.target.value)}
      {...(onBlur === undefined ? {} : { onBlur })}
      slotProps={{
        htmlInput: {
          spellCheck: false,
          ...(field.kind === 'number' ? { inputMode: 'decimal' } : {}),
          ...(field.kind === 'json' || field.kind === 'multiline' ? { style: { fontFamily: fonts.code } } : {}),
        },
      }}
    />
  );
}
