import { importFields, type ColumnMap, type TableRole } from '../../../shared/inventory/import-fields.ts';
import { guessPlans, planFor, withColumns, type TablePlan } from '../../../shared/inventory/table-plan.ts';
import type { Table } from '../../../shared/inventory/table.ts';

const key = 'causeway.import-columns';
/** The newest choices are kept; somebody has a handful of kinds of files. */
const most = 30;

type Remembered = Record<string, { readonly role: TableRole | 'none'; readonly columns: Record<string, number> }>;

/** Plans for these tables: as somebody chose for the same headings before, else as the headings say. */
export function rememberedPlans(tables: readonly Table[]): TablePlan[] {
  const remembered = readRemembered();
  return tables.flatMap((table) => {
    const choice = remembered[signatureOf(table)];
    if (choice === undefined || !Object.hasOwn({ ...importFields, none: 0 }, choice.role)) return guessPlans([table]);
    if (choice.role === 'none') return [];
    const columns = Object.entries(choice.columns).filter(
      ([, column]) => Number.isInteger(column) && column >= 0 && column < table.header.length,
    );
    return columns.length === 0
      ? [planFor(table, choice.role)]
      : [withColumns(table, choice.role, Object.fromEntries(columns) as ColumnMap)];
  });
}

/** Keeps what somebody chose, with this browser or desktop: it is about habits, not about a project. */
export function rememberPlans(tables: readonly Table[], plans: readonly TablePlan[]): void {
  const chosen = tables.map((table) => {
    const plan = plans.find((one) => one.table === table);
    return [signatureOf(table), { role: plan?.role ?? 'none', columns: { ...plan?.columns } }] as const;
  });
  const signatures = new Set(chosen.map(([signature]) => signature));
  const others = Object.entries(readRemembered()).filter(([signature]) => !signatures.has(signature));
  localStorage.setItem(key, JSON.stringify(Object.fromEntries([...others, ...chosen].slice(-most))));
}

function signatureOf({ name, header }: Table): string {
  // The name of a CSV file changes with every export; a sheet's does not, but its headings tell it apart as well.
  return /^v[A-Z]/.test(name) ? `${name}|${header.join('|')}` : header.join('|');
}

function readRemembered(): Remembered {
  try {
    return (JSON.parse(localStorage.getItem(key) ?? '{}') ?? {}) as Remembered;
  } catch {
    return {};
  }
}
