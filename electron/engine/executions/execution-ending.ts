import type { ErrorRecord } from '../../../shared/model/causeway-error.ts';
import { errorText } from '../../../shared/model/errors/catalogue.ts';
import type { Execution } from '../../../shared/model/execution.ts';
import type { ActiveExecution } from './active-execution.ts';
import type { EmitOf, ExecutionServiceOptions } from './execution-service-options.ts';

/** The final state, always: with the error, the last numbers, and what was left behind. */
export function finishExecution(
  { store, clean }: Pick<ExecutionServiceOptions, 'store' | 'clean'>, emit: EmitOf, execution: Execution, entry: ActiveExecution,
  state: 'completed' | 'failed' | 'cancelled', error: ErrorRecord | undefined, cleanUpErrors: readonly ErrorRecord[],
): void {
  const left = store.ledger.list().filter((item) => item.executionId === execution.id && item.lifetime === 'temporary');
  if (entry.progress !== undefined) store.executions.setProgress(execution.id, entry.progress);
  if (entry.rates.samples().length > 0) store.rates.set(execution.id, entry.rates.samples());
  if (left.length > 0) {
    emit(execution, 'execution.left-behind', `${left.length} temporary resources were left behind`, {
      entries: left.map((item) => ({ entryId: item.entryId, kind: item.kind, name: item.name })),
    });
  }
  const cause = error ?? cleanUpErrors[0];
  const shown = cause === undefined ? undefined : clean(cause);
  store.executions.finish(execution.id, { state, ...(shown === undefined ? {} : { error: shown }), leftBehind: left.length });
  emit(execution, 'execution.state', shown === undefined ? `the execution is ${state}` : `the execution is ${state}: ${errorText(shown.code).title}`, {
    state,
    ...(shown === undefined ? {} : { code: shown.code, evidence: shown.message }),
  });
}
