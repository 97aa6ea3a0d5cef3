import type { EntryRow, FormValues } from '../form-values.ts';
import { VmRows, type VmRowsProps } from './vm-rows.tsx';

interface Props extends VmRowsProps<EntryRow> {
  /** The fields of one row. */
  readonly children: (row: EntryRow, change: (members: FormValues) => void) => React.ReactNode;
}

/** A mapping of the machine's own things to several values each, e.g. of networks to a subnet and its security groups. */
export function EntriesTable({ children, ...rows }: Props) {
  return (
    <VmRows
      {...rows}
      emptyRow={(key) => ({ key, members: {} })}
      isEmpty={({ members }) => Object.values(members).every((value) => value === '')}
      shares={[2, 3]}
    >
      {(row, _name, change) => children(row, (members) => change({ ...row, members }))}
    </VmRows>
  );
}
