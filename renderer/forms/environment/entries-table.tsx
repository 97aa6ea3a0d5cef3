import AddIcon from '@mui/icons-material/Add';
import DeleteIcon from '@mui/icons-material/DeleteOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FormHelperText from '@mui/material/FormHelperText';
import IconButton from '@mui/material/IconButton';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useId } from 'react';
import type { FieldDescriptor } from '../field-descriptor.ts';
import { fieldHelp, fieldLabel } from '../field-help.tsx';
import type { EntryRow, FormValues } from '../form-values.ts';
import { text } from '../../text/text.ts';
import type { Option } from './draft-context.tsx';

interface Props {
  readonly field: FieldDescriptor;
  readonly rows: readonly EntryRow[];
  readonly onChange: (rows: readonly EntryRow[]) => void;
  readonly problem?: string | undefined;
  /** What the virtual machine has of this kind; each has a row, mapped or not. */
  readonly lefts: readonly Option[];
  readonly leftLabel: string;
  /** The fields of one row. */
  readonly children: (row: EntryRow, change: (members: FormValues) => void) => React.ReactNode;
}

/** A mapping of the machine's own things to several values each, e.g. of networks to a subnet and its security groups. */
export function EntriesTable({ field, rows, onChange, problem, lefts, leftLabel, children }: Props) {
  const id = useId();
  const label = fieldLabel(field);
  const known = new Set(lefts.map(({ value }) => value));
  const others = rows.map((row, index) => ({ row, index })).filter(({ row }) => !known.has(row.key));
  const mapLeft = (key: string, members: FormValues) => {
    const isEmpty = Object.values(members).every((value) => value === '');
    const without = rows.filter((row) => row.key !== key);
    if (isEmpty) onChange(without);
    else onChange(rows.some((row) => row.key === key) ? rows.map((row) => (row.key === key ? { key, members } : row)) : [...rows, { key, members }]);
  };
  const setOther = (index: number, part: Partial<EntryRow>) => onChange(rows.map((row, at) => (at === index ? { ...row, ...part } : row)));
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
        <Row key={`own ${key}`} name={name} left={<TextField size="small" fullWidth label={leftLabel} value={name} slotProps={{ htmlInput: { readOnly: true } }} />}>
          {children(rows.find((row) => row.key === key) ?? { key, members: {} }, (members) => mapLeft(key, members))}
        </Row>
      ))}
      {others.map(({ row, index }) => (
        <Row
          key={`other ${index}`}
          name={row.key}
          left={
            <Box sx={{ display: 'flex', gap: 1, alignItems: 'start' }}>
              <TextField size="small" fullWidth label={text.configure.left.other} value={row.key} onChange={(event) => setOther(index, { key: event.target.value })} slotProps={{ htmlInput: { spellCheck: false } }} />
              <IconButton size="small" aria-label={text.forms.removeRow(row.key)} onClick={() => onChange(rows.filter((_row, at) => at !== index))}>
                <DeleteIcon />
              </IconButton>
            </Box>
          }
        >
          {children(row, (members) => setOther(index, { members }))}
        </Row>
      ))}
      <Button size="small" startIcon={<AddIcon />} aria-label={`${text.configure.addRow}: ${label}`} onClick={() => onChange([...rows, { key: '', members: {} }])}>
        {text.configure.addRow}
      </Button>
    </Box>
  );
}

function Row({ name, left, children }: { readonly name: string; readonly left: React.ReactNode; readonly children: React.ReactNode }) {
  return (
    <Box role="group" aria-label={name} sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 2fr) minmax(0, 3fr)', gap: 1, mb: 2, alignItems: 'start' }}>
      {left}
      {children}
    </Box>
  );
}
