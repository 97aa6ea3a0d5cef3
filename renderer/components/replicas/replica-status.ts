import { isTerminalDeployment, type Deployment } from '../../../shared/model/deployment.ts';
import { isTerminalExecution, type Execution } from '../../../shared/model/execution.ts';
import type { Replica } from '../../../shared/model/replica.ts';

export type ReplicaStatusKind =
  | 'never'
  | 'waiting'
  | 'replicating'
  | 'cancelling'
  | 'interrupted'
  | 'in-sync'
  | 'failed'
  | 'cancelled'
  | 'deploying'
  | 'deployment-interrupted'
  | 'deployed'
  | 'deployment-failed';

export type LifeStep =
  | 'replicate'
  | 'again'
  | 'watch'
  | 'resume'
  | 'why'
  | 'deploy'
  | 'watch-deployment'
  | 'resume-deployment'
  | 'why-deployment'
  | 'open';

/** Where a replica stands. */
export interface ReplicaStatus {
  readonly kind: ReplicaStatusKind;
  /** What to do next, the most obvious first. */
  readonly steps: readonly LifeStep[];
  /** The moment of the source that every disk has at least; absent while a disk has none. */
  readonly syncedTo?: string;
  readonly latest?: Execution;
  /** The one that its state is about. */
  readonly deployment?: Deployment;
}

export function replicaStatus(replica: Replica, latest: Execution | undefined, deployment?: Deployment): ReplicaStatus {
  const moments = replica.disks.map(({ synchronisedTo }) => synchronisedTo);
  const isComplete =
    replica.lastSuccess !== undefined && moments.length > 0 && moments.every((moment) => moment !== undefined);
  const deployed = deployment === undefined ? undefined : stageOfDeployment(deployment, latest);
  return {
    ...(deployed ?? stageOf(replica, latest)),
    ...(isComplete ? { syncedTo: moments.toSorted()[0]! } : {}),
    ...(latest === undefined ? {} : { latest }),
    ...(deployed === undefined || deployment === undefined ? {} : { deployment }),
  };
}

type Stage = Pick<ReplicaStatus, 'kind' | 'steps'>;

/** Undefined when the state is about an execution that came after it, or when the deployment left nothing to speak of. */
function stageOfDeployment(deployment: Deployment, latest: Execution | undefined): Stage | undefined {
  switch (deployment.state) {
    case 'pending':
    case 'running':
    case 'cancelling':
      return { kind: 'deploying', steps: ['watch-deployment'] };
    case 'interrupted':
      return { kind: 'deployment-interrupted', steps: ['resume-deployment'] };
    case 'cancelled':
    case 'deleted':
      return undefined;
    case 'completed':
    case 'failed':
  }
  const isOlder =
    latest !== undefined && latest.createdAt > deployment.createdAt && !deployment.executionIds.includes(latest.id);
  if (isOlder) return undefined;
  // A VM beside its source that ends by itself is not a replica that was deployed.
  if (deployment.options.purpose === 'rehearsal' && deployment.state === 'completed') return undefined;
  return deployment.state === 'completed'
    ? { kind: 'deployed', steps: ['open', 'again'] }
    : { kind: 'deployment-failed', steps: ['why-deployment', 'deploy', 'again'] };
}

function stageOf(replica: Replica, latest: Execution | undefined): Stage {
  const run: LifeStep = replica.lastSuccess === undefined ? 'replicate' : 'again';
  switch (latest?.state) {
    case undefined:
      return { kind: 'never', steps: ['replicate'] };
    case 'pending':
      return { kind: 'waiting', steps: ['watch'] };
    case 'running':
      return { kind: 'replicating', steps: ['watch'] };
    case 'cancelling':
      return { kind: 'cancelling', steps: ['watch'] };
    case 'interrupted':
      return { kind: 'interrupted', steps: ['resume'] };
    case 'failed':
      return { kind: 'failed', steps: ['why', run] };
    case 'cancelled':
      return { kind: 'cancelled', steps: [run] };
    case 'completed':
      // The volumes went to a virtual machine of a deployment in place, which is gone meanwhile: there is nothing to deploy.
      return replica.lastSuccess === undefined
        ? { kind: 'never', steps: ['replicate'] }
        : { kind: 'in-sync', steps: ['deploy', 'again'] };
  }
}

interface Numbered {
  readonly replicaId: string;
  readonly number: number;
}

/** The newest execution, or deployment, of each replica. */
export function latestOf<R extends Numbered>(runs: readonly R[]): ReadonlyMap<string, R> {
  const latest = new Map<string, R>();
  for (const run of runs) {
    const known = latest.get(run.replicaId);
    if (known === undefined || known.number < run.number) latest.set(run.replicaId, run);
  }
  return latest;
}

export function isActive({ state }: Execution): boolean {
  return !isTerminalExecution(state) && state !== 'interrupted';
}

/** Whether nothing is under way, so that it may be run, deployed or deleted. */
export function isIdle(life: ReplicaStatus): boolean {
  const isDeploying = life.deployment !== undefined && !isTerminalDeployment(life.deployment.state);
  return !isDeploying && (life.latest === undefined || isTerminalExecution(life.latest.state));
}
