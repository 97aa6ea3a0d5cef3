import type { Execution } from '../../../../shared/model/execution.ts';
import type { Replica } from '../../../../shared/model/replica.ts';
import type { Vm } from '../../../../shared/model/vm.ts';
import { vmSchema } from '../../../../shared/model/vm.ts';
import type { StoredTask } from '../../store/tasks.ts';
import type { Store } from '../../store/store.ts';

/** What completed executions and deployments of a replica tell of the next ones; what was not measured is undefined. */
export interface Measured {
  /** Completed executions. */
  readonly executions: number;
  readonly changeBytesPerSecond?: number | undefined;
  /** Of what changed, how much crossed the link. */
  readonly sentShare?: number | undefined;
  /** What crossed the link while data moved. */
  readonly sentPerSecond?: number | undefined;
  /** Of an execution, besides moving data: checks, snapshot, worker. */
  readonly overheadSeconds?: number | undefined;
  /** Of a deployment, without its executions. */
  readonly deploySeconds?: number | undefined;
  /** As the newest execution described it. */
  readonly vm?: Vm | undefined;
}

/** The newest say more of the next one than those of months ago. */
const mostExecutions = 12;
/** What a rate is taken from: with less, starting and ending weigh more than the link. */
const leastForRate = 4 * 1024 ** 2;

interface Pass {
  readonly takenAt: number;
  readonly changed: number;
  readonly sent: number;
  readonly copySeconds: number;
  readonly seconds: number;
  readonly isWhole: boolean;
}

/** From the store alone. The more executions there are, the less a single one weighs. */
export function measuredReplica(store: Store, replicaId: string): Measured {
  const completed = store.executions
    .list({ replicaId, limit: mostExecutions })
    .filter(({ state }) => state === 'completed');
  const tasks = new Map(completed.map(({ id }) => [id, store.tasks.list(id)]));
  const passes = completed
    .flatMap((execution) => passOf(execution, tasks.get(execution.id) ?? []) ?? [])
    .sort((one, other) => one.takenAt - other.takenAt);
  const changes = passes
    .slice(1)
    .map((pass, index) => ({ bytes: pass.changed, seconds: (pass.takenAt - passes[index]!.takenAt) / 1000 }))
    .filter((_, index) => !passes[index + 1]!.isWhole);
  const changed = sum(passes.map((pass) => pass.changed));
  const rated = passes.filter(({ sent, copySeconds }) => sent >= leastForRate && copySeconds > 0);
  const deployments = store.deployments
    .list({ replicaId, limit: 10 })
    .filter(({ state, error }) => error === undefined && (state === 'completed' || state === 'deleted'));
  return {
    executions: completed.length,
    changeBytesPerSecond: ratio(sum(changes.map(({ bytes }) => bytes)), sum(changes.map(({ seconds }) => seconds))),
    sentShare: ratio(sum(passes.map(({ sent }) => sent)), changed),
    sentPerSecond: ratio(sum(rated.map(({ sent }) => sent)), sum(rated.map(({ copySeconds }) => copySeconds))),
    overheadSeconds: median(passes.map(({ seconds, copySeconds }) => Math.max(0, seconds - copySeconds))),
    deploySeconds: median(
      deployments.flatMap(({ startedAt, finishedAt, executionIds }) => {
        if (startedAt === undefined || finishedAt === undefined) return [];
        return [
          Math.max(
            0,
            secondsBetween(startedAt, finishedAt) - sum(executionIds.map((id) => lengthOf(store.executions.find(id)))),
          ),
        ];
      }),
    ),
    vm: describedVm(tasks.get(completed[0]?.id ?? '') ?? []),
  };
}

const described = new WeakMap<Store, Map<string, { readonly lastSuccess: string; readonly vm: Vm | undefined }>>();

/** A replica's VM as its newest completed execution described it; undefined where there is none. Kept until the next one succeeds. */
export function newestVm(store: Store, { id, lastSuccess }: Pick<Replica, 'id' | 'lastSuccess'>): Vm | undefined {
  const kept = described.get(store) ?? new Map<string, { readonly lastSuccess: string; readonly vm: Vm | undefined }>();
  described.set(store, kept);
  const known = kept.get(id);
  if (known !== undefined && known.lastSuccess === lastSuccess) return known.vm;
  const newest = store.executions
    .list({ replicaId: id, limit: mostExecutions })
    .find(({ state }) => state === 'completed');
  const vm = newest === undefined ? undefined : describedVm(store.tasks.list(newest.id));
  if (lastSuccess !== undefined) kept.set(id, { lastSuccess, vm });
  return vm;
}

function describedVm(tasks: readonly StoredTask[]): Vm | undefined {
  return vmSchema.safeParse(tasks.find(({ id }) => id === 'describe-vm')?.result?.['vm']).data;
}

function passOf(execution: Execution, tasks: readonly StoredTask[]): Pass | undefined {
  const outcomes = tasks.find(({ id }) => id === 'replicate-disks')?.result?.['outcomes'];
  const taken = tasks.find(({ id }) => id === 'take-snapshot')?.finishedAt;
  if (!Array.isArray(outcomes) || taken === undefined) return undefined;
  const disks = outcomes as readonly Readonly<Record<string, unknown>>[];
  const total = (key: string): number => sum(disks.map((disk) => Number(disk[key] ?? 0)));
  return {
    takenAt: Date.parse(taken),
    changed: total('bytesChanged'),
    sent: total('bytesSent'),
    seconds: lengthOf(execution),
    // Disks are copied beside each other.
    copySeconds: Math.max(0, ...disks.map((disk) => Number(disk['durationSeconds'] ?? 0))),
    isWhole: execution.number === 1 || disks.some((disk) => disk['readEverything'] === true),
  };
}

function lengthOf(run: Pick<Execution, 'startedAt' | 'finishedAt'> | undefined): number {
  return run?.startedAt === undefined || run.finishedAt === undefined
    ? 0
    : secondsBetween(run.startedAt, run.finishedAt);
}

function secondsBetween(from: string, to: string): number {
  return Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000);
}

function sum(values: readonly number[]): number {
  return values.reduce((so, value) => so + value, 0);
}

function ratio(amount: number, per: number): number | undefined {
  return per > 0 ? amount / per : undefined;
}

export function median(values: readonly number[]): number | undefined {
  return values.length === 0
    ? undefined
    : values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) / 2)];
}
