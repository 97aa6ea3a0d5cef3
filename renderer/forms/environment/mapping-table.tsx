import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { FreeChoice, type Option } from '../fields/option-field.tsx';
import type { MappingRow } from '../form-values.ts';
import { text } from '../../text/text.ts';
import { VmRows, type VmRowsProps } from './vm-rows.tsx';

interface Props extends VmRowsProps<MappingRow> {
  readonly rights: readonly Option[];
}

/** A mapping of the machine's own things to one value each. */
export function MappingTable({ rights, ...rows }: Props) {
  const { valueChoices } = rows.field;
  return (
    <VmRows {...rows} emptyRow={(key) => ({ key, value: '' })} isEmpty={({ value }) => value === ''} shares={[1, 1]}>
      {(row, of, change) => {
        const name = of === '' ? text.configure.right : `${text.configure.right}: ${of}`;
        return valueChoices === undefined ? (
          <FreeChoice
            label={name}
            value={row.value}
            onChange={(value) => change({ ...row, value })}
            options={rights}
            placeholder={text.configure.notMapped}
          />
        ) : (
          <TextField
            select
            size="small"
            fullWidth
            label={name}
            value={row.value}
            onChange={(event) => change({ ...row, value: event.target.value })}
          >
            {valueChoices.map((choice) => (
              <MenuItem key={choice} value={String(choice)}>
                {choice}
              </MenuItem>
            ))}
          </TextField>
        );
      }}
    </VmRows>
  );
}
