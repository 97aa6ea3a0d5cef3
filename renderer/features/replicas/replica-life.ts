import { isTerminalExecution, type Execution } from '../../../shared/model/execution.ts';
import type { Replica } from '../../../shared/model/replica.ts';

export type LifeKind = 'never' | 'waiting' | 'replicating' | 'cancelling' | 'interrupted' | 'in-sync' | 'failed' | 'cancelled';
export type LifeStep = 'replicate' | 'again' | 'watch' | 'resume' | 'why';

/** Where a replica stands. */
export interface ReplicaLife {
  readonly kind: LifeKind;
  readonly step: LifeStep;
  /** The moment of the source that every disk has at least; absent while a disk has none. */
  readonly syncedTo?: string;
  readonly latest?: Execution;
}

export function replicaLife(replica: Replica, latest: Execution | undefined): ReplicaLife {
  const moments = replica.disks.map(({ synchronisedTo }) => synchronisedTo);
  const isComplete = replica.lastSuccess !== undefined && moments.length > 0 && moments.every((moment) => moment !== undefined);
  return {
    ...stageOf(replica, latest),
    ...(isComplete ? { syncedTo: moments.toSorted()[0]! } : {}),
    ...(latest === undefined ? {} : { latest }),
  };
}

function stageOf(replica: Replica, latest: Execution | undefined): Pick<ReplicaLife, 'kind' | 'step'> {
  switch (latest?.state) {
    case undefined:
      return { kind: 'never', step: 'replicate' };
    case 'pending':
      return { kind: 'waiting', step: 'watch' };
    case 'running':
      return { kind: 'replicating', step: 'watch' };
    case 'cancelling':
      return { kind: 'cancelling', step: 'watch' };
    case 'interrupted':
      return { kind: 'interrupted', step: 'resume' };
    case 'failed':
      return { kind: 'failed', step: 'why' };
    case 'cancelled':
      return { kind: 'cancelled', step: replica.lastSuccess === undefined ? 'replicate' : 'again' };
    case 'completed':
      return { kind: 'in-sync', step: 'again' };
  }
}

/** The newest execution of each replica. */
export function latestExecutions(executions: readonly Execution[]): ReadonlyMap<string, Execution> {
  const latest = new Map<string, Execution>();
  for (const execution of executions) {
    const known = latest.get(execution.replicaId);
    if (known === undefined || known.number < execution.number) latest.set(execution.replicaId, execution);
  }
  return latest;
}

export function isActive({ state }: Execution): boolean {
  return !isTerminalExecution(state) && state !== 'interrupted';
}
