import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { text } from '../../text/text.ts';
import { fieldHelp, fieldLabel } from '../field-help.tsx';
import type { FieldProps } from '../field-props.ts';

/**
 * A secret can be given and replaced, never read. What is typed goes to the engine once, with the form; the engine puts it
 * into the vault and answers with a reference.
 */
export function SecretInput({
  field,
  value,
  onChange,
  onBlur,
  inputRef,
  problem,
}: FieldProps<string | { readonly $secret: string }>) {
  const [stored] = useState(typeof value === 'string' ? undefined : value);
  const label = fieldLabel(field);
  if (typeof value !== 'string') {
    return (
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'flex-start' }}>
        <TextField
          size="small"
          fullWidth
          label={label}
          value={text.forms.isSet}
          helperText={fieldHelp(field, problem)}
          error={problem !== undefined}
          slotProps={{ htmlInput: { readOnly: true } }}
        />
        <Button onClick={() => onChange('')} aria-label={`${text.forms.replace}: ${label}`}>
          {text.forms.replace}
        </Button>
      </Box>
    );
  }
  const isKey = field.meta.multiline === true;
  return (
    <Box sx={{ display: 'flex', gap: 1, alignItems: 'flex-start' }}>
      <TextField
        size="small"
        fullWidth
        label={label}
        required={field.required}
        value={value}
        error={problem !== undefined}
        helperText={problem ?? `${field.meta.help ?? ''} ${text.forms.secretHelp}`}
        {...(isKey ? { multiline: true, minRows: 3, maxRows: 8 } : { type: 'password' })}
        {...(inputRef === undefined ? {} : { inputRef })}
        onChange={(event) => onChange(event.target.value)}
        {...(onBlur === undefined ? {} : { onBlur })}
        slotProps={{ htmlInput: { autoComplete: 'off', spellCheck: false } }}
        // Keys have several lines, which no password field takes; nobody reads them over a shoulder all the same.
        sx={{ '& textarea': { WebkitTextSecurity: 'disc' } }}
      />
      {stored !== undefined && <Button onClick={() => onChange(stored)}>{text.forms.keep}</Button>}
    </Box>
  );
}
