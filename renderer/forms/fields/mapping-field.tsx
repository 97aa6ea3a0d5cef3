import AddIcon from '@mui/icons-material/Add';
import DeleteIcon from '@mui/icons-material/DeleteOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FormHelperText from '@mui/material/FormHelperText';
import IconButton from '@mui/material/IconButton';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useId } from 'react';
import { text } from '../../text/text.ts';
import { fieldHelp, fieldLabel } from '../field-help.tsx';
import type { FieldProps } from '../field-props.ts';
import type { MappingRow } from '../form-values.ts';

/** A mapping as rows of a name and a value. */
export function MappingInput({
  field,
  value: rows,
  onChange,
  onBlur,
  inputRef,
  problem,
}: FieldProps<readonly MappingRow[]>) {
  const id = useId();
  const set = (index: number, part: Partial<MappingRow>) =>
    onChange(rows.map((row, at) => (at === index ? { ...row, ...part } : row)));
  const label = fieldLabel(field);
  return (
    <Box role="group" aria-labelledby={id} {...(onBlur === undefined ? {} : { onBlur })}>
      <Typography id={id} variant="body2" sx={{ fontWeight: 500 }}>
        {label}
        {field.required && ` (${text.forms.required})`}
      </Typography>
      <FormHelperText error={problem !== undefined} sx={{ mb: 1 }}>
        {fieldHelp(field, problem)}
      </FormHelperText>
      {rows.map((row, index) => (
        <Box key={index} sx={{ display: 'flex', gap: 1, mb: 1 }}>
          <TextField
            size="small"
            label={text.forms.key}
            select={field.choices !== undefined}
            value={row.key}
            sx={{ flex: 1 }}
            {...(index === 0 && inputRef !== undefined ? { inputRef } : {})}
            onChange={(event) => set(index, { key: event.target.value })}
          >
            {field.choices?.map((choice) => (
              <MenuItem key={choice} value={String(choice)}>
                {choice}
              </MenuItem>
            ))}
          </TextField>
          <TextField
            size="small"
            label={text.forms.value}
            value={row.value}
            sx={{ flex: 1 }}
            onChange={(event) => set(index, { value: event.target.value })}
          />
          <IconButton
            aria-label={text.forms.removeRow(row.key)}
            onClick={() => onChange(rows.filter((_row, at) => at !== index))}
          >
            <DeleteIcon />
          </IconButton>
        </Box>
      ))}
      <Button
        size="small"
        startIcon={<AddIcon />}
        aria-label={`${text.forms.addRow}: ${label}`}
        onClick={() => onChange([...rows, { key: '', value: '' }])}
      >
        {text.forms.addRow}
      </Button>
    </Box>
  );
}
