import AddIcon from '@mui/icons-material/Add';
import DeleteIcon from '@mui/icons-material/DeleteOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FormHelperText from '@mui/material/FormHelperText';
import IconButton from '@mui/material/IconButton';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useId, type ReactNode } from 'react';
import type { FieldDescriptor } from '../field-descriptor.ts';
import { fieldHelp, fieldLabel } from '../field-help.tsx';
import { text } from '../../text/text.ts';
import type { Option } from './draft-context.tsx';

/** What both kinds of mapping tables are given. */
export interface VmRowsProps<Row extends { readonly key: string }> {
  readonly field: FieldDescriptor;
  readonly rows: readonly Row[];
  readonly onChange: (rows: readonly Row[]) => void;
  readonly problem?: ReactNode;
  /** What the virtual machine has of this kind; each has a row, mapped or not. */
  readonly lefts: readonly Option[];
  readonly leftLabel: string;
}

interface Props<Row extends { readonly key: string }> extends VmRowsProps<Row> {
  /** A row that maps its key to nothing. */
  readonly emptyRow: (key: string) => Row;
  readonly isEmpty: (row: Row) => boolean;
  /** Widths of left and right, as shares. */
  readonly shares: readonly [number, number];
  /** The right side of a row; `name` is what people call its left side. */
  readonly children: (row: Row, name: string, change: (row: Row) => void) => ReactNode;
}

/**
 * Rows with the machine's own things at the left. What is mapped and the machine does not have (any more), or what
 * somebody types, has a row too: keys may hold anything.
 */
export function VmRows<Row extends { readonly key: string }>({
  field,
  rows,
  onChange,
  problem,
  lefts,
  leftLabel,
  emptyRow,
  isEmpty,
  shares,
  children,
}: Props<Row>) {
  const id = useId();
  const label = fieldLabel(field);
  const known = new Set(lefts.map(({ value }) => value));
  const others = rows.map((row, index) => ({ row, index })).filter(({ row }) => !known.has(row.key));
  const changeOwn = (changed: Row) => {
    if (isEmpty(changed)) onChange(rows.filter(({ key }) => key !== changed.key));
    else
      onChange(
        rows.some(({ key }) => key === changed.key)
          ? rows.map((row) => (row.key === changed.key ? changed : row))
          : [...rows, changed],
      );
  };
  const changeOther = (index: number, changed: Row) => onChange(rows.map((row, at) => (at === index ? changed : row)));
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
        <Columns key={`own ${key}`} name={name} shares={shares}>
          <TextField
            size="small"
            fullWidth
            label={leftLabel}
            value={name}
            slotProps={{ htmlInput: { readOnly: true } }}
          />
          {children(rows.find((row) => row.key === key) ?? emptyRow(key), name, changeOwn)}
        </Columns>
      ))}
      {others.map(({ row, index }) => (
        <Columns key={`other ${index}`} name={row.key} shares={shares}>
          <OtherKey field={field} value={row.key} onChange={(key) => changeOther(index, { ...row, key })} />
          {children(row, row.key, (changed) => changeOther(index, changed))}
          <IconButton
            size="small"
            aria-label={text.forms.removeRow(row.key)}
            onClick={() => onChange(rows.filter((_row, at) => at !== index))}
          >
            <DeleteIcon />
          </IconButton>
        </Columns>
      ))}
      <Button
        size="small"
        startIcon={<AddIcon />}
        aria-label={`${text.configure.addRow}: ${label}`}
        onClick={() => onChange([...rows, emptyRow('')])}
      >
        {text.configure.addRow}
      </Button>
    </Box>
  );
}

function OtherKey({
  field,
  value,
  onChange,
}: {
  readonly field: FieldDescriptor;
  readonly value: string;
  readonly onChange: (key: string) => void;
}) {
  return (
    <TextField
      select={field.choices !== undefined}
      size="small"
      fullWidth
      label={text.configure.left.other}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      slotProps={{ htmlInput: { spellCheck: false } }}
    >
      {field.choices?.map((choice) => (
        <MenuItem key={choice} value={String(choice)}>
          {choice}
        </MenuItem>
      ))}
    </TextField>
  );
}

function Columns({
  name,
  shares: [left, right],
  children,
}: {
  readonly name: string;
  readonly shares: readonly [number, number];
  readonly children: ReactNode;
}) {
  return (
    <Box
      role="group"
      aria-label={name}
      sx={{
        display: 'grid',
        gridTemplateColumns: `minmax(0, ${left}fr) minmax(0, ${right}fr) 40px`,
        gap: 1,
        mb: 1.5,
        alignItems: 'start',
      }}
    >
      {children}
    </Box>
  );
}
