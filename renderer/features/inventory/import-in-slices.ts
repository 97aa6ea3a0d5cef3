import { importSteps, type ImportChoices, type ImportResult } from '../../../shared/inventory/import-machines.ts';
import type { TablePlan } from '../../../shared/inventory/table-plan.ts';
import { inSlices, type BreakOptions } from '../../components/slices.ts';

interface Slices extends BreakOptions {
  readonly signal: AbortSignal;
  /** Called between slices. @param part from 0 to 1 */
  readonly onProgress: (part: number) => void;
}

/** Makes machines of tables, however many rows they have, without keeping the page from reacting. Rejects when it is aborted. */
export function importInSlices(
  plans: readonly TablePlan[],
  choices: ImportChoices,
  { onProgress, ...slices }: Slices,
): Promise<ImportResult> {
  const rows = plans.reduce((sum, { table }) => sum + table.rows.length, 0);
  return inSlices(importSteps(plans, choices), {
    ...slices,
    onBreak: (done) => onProgress(rows === 0 ? 1 : done / rows),
  });
}
