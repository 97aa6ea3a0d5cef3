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
import type { FieldDescriptor } from '../field-descriptor.ts';
import { fieldHelp, fieldLabel } from '../field-help.tsx';
import { FreeChoice, type Option } from '../fields/option-field.tsx';
import type { MappingRow } from '../form-values.ts';
import { text } from '../../text/text.ts';

interface Props {
  readonly field: FieldDescriptor;
  readonly rows: readonly MappingRow[];
  readonly onChange: (rows: readonly MappingRow[]) => void;
  readonly problem?: string | undefined;
  /** What the virtual machine has of this kind; each has a row, mapped or not. */
  readonly lefts: readonly Option[];
  readonly leftLabel: string;
  readonly rights: readonly Option[];
}

/**
 * A mapping with the machine's own things at the left. What is mapped and the machine does not have (any more), or what
 * somebody types, has a row too: keys may hold anything.
 */
export function MappingTable({ field, rows, onChange, problem, lefts, leftLabel, rights }: Props) {
  const id = useId();
  const label = fieldLabel(field);
  const known = new Set(lefts.map(({ value }) => value));
  const others = rows.map((row, index) => ({ row, index })).filter(({ row }) => !known.has(row.key));
  const mapLeft = (key: string, value: string) => {
    const at = rows.findIndex((row) => row.key === key);
    if (at < 0) onChange([...rows, { key, value }]);
    else if (value === '') onChange(rows.filter((_row, index) => index !== at));
    else onChange(rows.map((row, index) => (index === at ? { key, value } : row)));
  };
  const setOther = (index: number, part: Partial<MappingRow>) => onChange(rows.map((row, at) => (at === index ? { ...row, ...part } : row)));
  const valueField = (ofWhat: string, value: string, change: (value: string) => void) => {
    const name = ofWhat === '' ? text.configure.right : `${text.configure.right}: ${ofWhat}`;
    return field.valueChoices === undefined ? (
      <FreeChoice label={name} value={value} onChange={change} options={rights} placeholder={text.configure.notMapped} />
    ) : (
      <TextField select size="small" fullWidth label={name} value={value} onChange={(event) => change(event.target.value)}>
        {field.valueChoices.map((choice) => (
          <MenuItem key={choice} value={String(choice)}>
            {choice}
          </MenuItem>
        ))}
      </TextField>
    );
  };
  return (
    <Box role="group" aria-labelledby={id}>
      <Typography id={id} variant="body2" sx={{ fontWeight: 500 }}>
        {label}
        {field.required && ` (${text.forms.required})`}
      </Typography>
      <FormHelperText error={problem !== undefined} sx={{ mb: 1 }}>
        {fieldHelp(field, problem)}
      </FormHelperText>
      {lefts.map(({ value: key, label: name }) => (
        <Row key={`own ${key}`} left={<TextField size="small" fullWidth label={leftLabel} value={name} slotProps={{ htmlInput: { readOnly: true } }} />}>
          {valueField(name, rows.find((row) => row.key === key)?.value ?? '', (value) => mapLeft(key, value))}
        </Row>
      ))}
      {others.map(({ row, index }) => (
        <Row
          key={`other ${index}`}
          left={
            field.choices === undefined ? (
              <TextField size="small" fullWidth label={text.configure.left.other} value={row.key} onChange={(event) => setOther(index, { key: event.target.value })} slotProps={{ htmlInput: { spellCheck: false } }} />
            ) : (
              <TextField select size="small" fullWidth label={text.configure.left.other} value={row.key} onChange={(event) => setOther(index, { key: event.target.value })}>
                {field.choices.map((choice) => (
                  <MenuItem key={choice} value={String(choice)}>
                    {choice}
                  </MenuItem>
                ))}
              </TextField>
            )
          }
          onRemove={() => onChange(rows.filter((_row, at) => at !== index))}
          removeLabel={text.forms.removeRow(row.key)}
        >
          {valueField(row.key, row.value, (value) => setOther(index, { value }))}
        </Row>
      ))}
      <Button size="small" startIcon={<AddIcon />} aria-label={`${text.configure.addRow}: ${label}`} onClick={() => onChange([...rows, { key: '', value: '' }])}>
        {text.configure.addRow}
      </Button>
    </Box>
  );
}

interface RowProps {
  readonly left: React.ReactNode;
  readonly children: React.ReactNode;
  readonly onRemove?: () => void;
  readonly removeLabel?: string;
}

function Row({ left, children, onRemove, removeLabel }: RowProps) {
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr) minmax(0, 1fr) 40px', gap: 1, mb: 1.5, alignItems: 'center' }}>
      {left}
      {children}
      {onRemove !== undefined && (
        <IconButton size="small" aria-label={removeLabel} onClick={onRemove}>
          <DeleteIcon />
        </IconButton>
      )}
    </Box>
  );
}
