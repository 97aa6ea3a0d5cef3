import {
  guessColumns,
  guessRole,
  importFields,
  unitOf,
  type ColumnMap,
  type FieldId,
  type ImportField,
  type SizeUnit,
  type TableRole,
} from './import-fields.ts';
import type { Table } from './table.ts';

/** How one table is to be read. */
export interface TablePlan<R extends TableRole = TableRole> {
  readonly table: Table;
  readonly role: R;
  readonly columns: ColumnMap<R>;
  /** Unit of a column of sizes where a cell says none; by field. */
  readonly units: Readonly<Record<string, SizeUnit>>;
}

/** A plan for each table that is about machines, from names and headings. */
export function guessPlans(tables: readonly Table[]): TablePlan[] {
  return tables.flatMap((table) => {
    const role = guessRole(table);
    return role === undefined ? [] : [planFor(table, role)];
  });
}

export function planFor(table: Table, role: TableRole): TablePlan {
  return withColumns(table, role, guessColumns(role, table.header));
}

/** The plan with these columns, and the units that their headings say. Memory without a unit is in MiB, disks in GiB. */
export function withColumns<R extends TableRole>(table: Table, role: R, columns: ColumnMap<R>): TablePlan<R> {
  const units: Record<string, SizeUnit> = {};
  for (const { id, isSize } of importFields[role] as readonly ImportField[]) {
    const column = columns[id as FieldId<R>];
    if (isSize !== true || column === undefined) continue;
    units[id] = unitOf(table.header[column] ?? '') ?? (id === 'memory' ? 'MiB' : 'GiB');
  }
  return { table, role, columns, units };
}
