import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import MenuItem from '@mui/material/MenuItem';
import Paper from '@mui/material/Paper';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import {
  importFields,
  sizeUnits,
  type ColumnMap,
  type ImportField,
  type SizeUnit,
  type TableRole,
} from '../../../shared/inventory/import-fields.ts';
import type { ImportChoices } from '../../../shared/inventory/import-machines.ts';
import { planFor, withColumns, type TablePlan } from '../../../shared/inventory/table-plan.ts';
import type { Table } from '../../../shared/inventory/table.ts';
import { text } from '../../text/text.ts';

interface Props {
  readonly tables: readonly Table[];
  readonly plans: readonly TablePlan[];
  readonly choices: ImportChoices;
  readonly onPlans: (plans: readonly TablePlan[]) => void;
  readonly onChoices: (choices: ImportChoices) => void;
}

/** What each table lists and what its columns mean. Tables of a workbook that are about other things are passed over. */
export function ColumnMapping({ tables, plans, choices, onPlans, onChoices }: Props) {
  const planned = new Set(plans.map(({ table }) => table));
  const shown = tables.length <= 3 || plans.length === 0 ? tables : tables.filter((table) => planned.has(table));
  const replace = (table: Table, plan: TablePlan | undefined) =>
    onPlans(
      tables.flatMap((one) => (one === table ? (plan ?? []) : (plans.find((known) => known.table === one) ?? []))),
    );
  return (
    <Paper variant="outlined" sx={{ p: 2, display: 'flex', flexDirection: 'column', gap: 2 }}>
      <Box>
        <Typography variant="h6" component="h2">
          {text.inventory.mapping}
        </Typography>
        <Typography sx={{ color: 'text.secondary' }}>{text.inventory.mappingLead}</Typography>
      </Box>
      {plans.length === 0 && <Alert severity="warning">{text.inventory.noTables}</Alert>}
      {shown.map((table) => (
        <TableMapping
          key={table.name}
          table={table}
          plan={plans.find((plan) => plan.table === table)}
          onChange={(plan) => replace(table, plan)}
        />
      ))}
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap' }}>
        <Choice
          label={text.inventory.osWhenUnknown}
          value={choices.osWhenUnknown ?? ''}
          onChange={(value) =>
            onChoices({
              withTemplates: choices.withTemplates,
              ...(value === '' ? {} : { osWhenUnknown: value as 'linux' | 'windows' }),
            })
          }
        >
          <MenuItem value="">{text.inventory.osIsError}</MenuItem>
          <MenuItem value="linux">{text.inventory.osIs.linux}</MenuItem>
          <MenuItem value="windows">{text.inventory.osIs.windows}</MenuItem>
        </Choice>
        <FormControlLabel
          control={
            <Checkbox
              checked={choices.withTemplates}
              onChange={(event) => onChoices({ ...choices, withTemplates: event.target.checked })}
            />
          }
          label={text.inventory.withTemplates}
        />
      </Box>
    </Paper>
  );
}

interface TableProps {
  readonly table: Table;
  readonly plan: TablePlan | undefined;
  readonly onChange: (plan: TablePlan | undefined) => void;
}

function TableMapping({ table, plan, onChange }: TableProps) {
  const roles = Object.keys(importFields) as TableRole[];
  return (
    <Box>
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', mb: 1.5 }}>
        <Choice
          label={text.inventory.role(table.name)}
          value={plan?.role ?? ''}
          onChange={(role) => onChange(role === '' ? undefined : planFor(table, role as TableRole))}
        >
          <MenuItem value="">{text.inventory.roleNone}</MenuItem>
          {roles.map((role) => (
            <MenuItem key={role} value={role}>
              {text.inventory.roles[role]}
            </MenuItem>
          ))}
        </Choice>
        <Typography sx={{ color: 'text.secondary' }}>{text.inventory.rowsIn(table.rows.length)}</Typography>
      </Box>
      {plan !== undefined && (
        <Box sx={{ display: 'grid', gap: 1.5, gridTemplateColumns: 'repeat(auto-fill, minmax(210px, 1fr))' }}>
          {(importFields[plan.role] as readonly ImportField[]).map((field) => (
            <FieldMapping key={field.id} field={field} plan={plan} onChange={onChange} />
          ))}
        </Box>
      )}
    </Box>
  );
}

function FieldMapping({
  field,
  plan,
  onChange,
}: {
  readonly field: ImportField;
  readonly plan: TablePlan;
  readonly onChange: (plan: TablePlan) => void;
}) {
  const column = (plan.columns as Readonly<Record<string, number>>)[field.id];
  const label = text.inventory.fields[field.id] ?? field.id;
  const choose = (value: string) => {
    const { [field.id]: _former, ...others } = plan.columns as Readonly<Record<string, number>>;
    const next = withColumns(
      plan.table,
      plan.role,
      (value === '' ? others : { ...others, [field.id]: Number(value) }) as ColumnMap,
    );
    // A unit that somebody chose stays for the other columns.
    onChange({
      ...next,
      units: { ...plan.units, ...(Object.hasOwn(next.units, field.id) ? { [field.id]: next.units[field.id]! } : {}) },
    });
  };
  return (
    <Box sx={{ display: 'flex', gap: 0.5, minWidth: 0 }}>
      <Choice
        label={label}
        required={field.required === true}
        isWrong={field.required === true && column === undefined}
        value={column === undefined ? '' : String(column)}
        onChange={choose}
        fill
      >
        <MenuItem value="">{text.inventory.notTaken}</MenuItem>
        {plan.table.header.map((heading, index) => (
          <MenuItem key={`${index} ${heading}`} value={String(index)}>
            {heading === '' ? `#${index + 1}` : heading}
          </MenuItem>
        ))}
      </Choice>
      {field.isSize === true && column !== undefined && (
        <Choice
          label={text.inventory.unit(label)}
          isBare
          value={plan.units[field.id] ?? 'GiB'}
          onChange={(unit) => onChange({ ...plan, units: { ...plan.units, [field.id]: unit as SizeUnit } })}
        >
          {Object.keys(sizeUnits).map((unit) => (
            <MenuItem key={unit} value={unit}>
              {unit}
            </MenuItem>
          ))}
        </Choice>
      )}
    </Box>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly required?: boolean;
  readonly isWrong?: boolean;
  /** As wide as there is room. */
  readonly fill?: boolean;
  /** Named for screen readers alone, where what stands beside it says the rest. */
  readonly isBare?: boolean;
  readonly children: ReactNode;
}

function Choice({
  label,
  value,
  onChange,
  required = false,
  isWrong = false,
  fill = false,
  isBare = false,
  children,
}: ChoiceProps) {
  return (
    <TextField
      select
      size="small"
      {...(isBare ? {} : { label })}
      required={required}
      error={isWrong}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      slotProps={{
        inputLabel: { shrink: true },
        select: { displayEmpty: true, ...(isBare ? { SelectDisplayProps: { 'aria-label': label } } : {}) },
      }}
      sx={fill ? { flex: '1 1 auto', minWidth: 0 } : isBare ? { flexShrink: 0 } : { minWidth: 240 }}
    >
      {children}
    </TextField>
  );
}
