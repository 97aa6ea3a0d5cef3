import { importSteps, type ImportChoices, type ImportResult } from '../../../shared/inventory/import-machines.ts';
import type { TablePlan } from '../../../shared/inventory/table-plan.ts';

interface Slices {
  readonly signal: AbortSignal;
  /** Called between slices. @param part from 0 to 1 */
  readonly onProgress: (part: number) => void;
  /** How long the page may be kept busy without a break. */
  readonly sliceMs?: number;
  readonly now?: () => number;
  /** Lets the page draw and react. */
  readonly pause?: () => Promise<void>;
}

/** Makes machines of tables, however many rows they have, without keeping the page from reacting. Rejects when it is aborted. */
export async function importInSlices(
  plans: readonly TablePlan[], choices: ImportChoices,
  { signal, onProgress, sliceMs = 25, now = () => performance.now(), pause = () => new Promise((resolve) => setTimeout(resolve)) }: Slices,
): Promise<ImportResult> {
  const rows = plans.reduce((sum, { table }) => sum + table.rows.length, 0);
  const steps = importSteps(plans, choices);
  for (let since = now(); ; ) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (now() - since < sliceMs) continue;
    onProgress(rows === 0 ? 1 : step.value / rows);
    await pause();
    signal.throwIfAborted();
    since = now();
  }
}
