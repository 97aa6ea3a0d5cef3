import { CausewayError, fromErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { Deployment } from '../../../shared/model/deployment.ts';
import type { EventType } from '../../../shared/model/event.ts';
import { isTerminalExecution, type ExecutionOptions } from '../../../shared/model/execution.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { ExecutionService } from '../executions/execution-service.ts';
import type { Store } from '../store/store.ts';

export type Executions = Pick<ExecutionService, 'execute' | 'runs'>;

interface Pass {
  readonly store: Store;
  readonly executions: Executions;
  readonly deployment: Deployment;
  readonly pass: string;
  readonly options: ExecutionOptions;
  emit(deployment: Deployment, type: EventType, message: string, details?: JsonObject): void;
}

/**
 * Runs one execution of the replica to its end, as part of a migration. After a crash the same execution is resumed;
 * cancelling the migration cancels it.
 * @throws CausewayError `deployment.execution-failed`, or the signal's reason
 */
export async function runExecution(pass: Pass, signal: AbortSignal): Promise<void> {
  const { store, executions, deployment } = pass;
  signal.throwIfAborted();
  const id = begin(pass);
  const stop = (): void => {
    try {
      executions.runs.cancel(id, false);
    } catch {
      // It has just ended.
    }
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    await executions.runs.settled(id);
  } finally {
    signal.removeEventListener('abort', stop);
  }
  const ended = store.executions.find(id);
  if (ended?.state === 'completed') return;
  signal.throwIfAborted();
  throw new CausewayError(
    'deployment.execution-failed',
    `execution ${id} is ${ended?.state ?? 'missing'}${ended?.error === undefined ? '' : `: ${ended.error.message}`}`,
    {
      details: { executionId: id, deploymentId: deployment.id },
      ...(ended?.error === undefined ? {} : { cause: fromErrorRecord(ended.error) }),
    },
  );
}

/** The pass's own execution, or a new one (or the replica's interrupted one). */
function begin({ store, executions, deployment, pass, options, emit }: Pass): string {
  const known = store.deployments.executionOf(deployment.id, pass);
  const former = known === undefined ? undefined : store.executions.find(known);
  if (former !== undefined && (isTerminalExecution(former.state) || executions.runs.activeIds().includes(former.id)))
    return former.id;
  const replica = store.replicas.find(deployment.replicaId);
  if (replica === undefined) throw new CausewayError('engine.not-found', `replica ${deployment.replicaId}`);
  const { id, number } = executions.execute(replica, options);
  if (id !== known) {
    store.deployments.setExecution(deployment.id, pass, id);
    emit(deployment, 'note', `execution ${number} of replica ${replica.name} (${id}) is part of this migration`, {
      executionId: id,
    });
  }
  return id;
}
