import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { DeploymentOptions } from '../../../shared/model/deployment.ts';
import type { EventType } from '../../../shared/model/event.ts';
import type { ExecutionOptions } from '../../../shared/model/execution.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import type { Finding } from '../../../shared/schema/finding.ts';
import type { ConnectWorker, Replication } from '../executions/execution-context.ts';
import {
  windowsModeOf,
  type inspectOnWorker,
  type LuksKey,
  type MorphGuest,
  type MorphOutcome,
  type WinrmMorphRequest,
} from '../osmorphing/index.ts';
import type { DeploymentPlatform, DeploymentRun } from '../ports/deployment-platform.ts';
import type { DestinationPlatform, Volume, WorkerAccess, WorkerRole } from '../ports/destination-platform.ts';
import type { RunPolicy } from '../ports/run-policy.ts';
import type { LedgerScope } from '../ports/ledger.ts';
import type { Store } from '../store/store.ts';
import type { SshConnection } from '../transport/ssh-connection.ts';
import type { BootProbe } from './boot-probe.ts';
import type { BootPatience } from './boot-verdict.ts';
import type { runChecks } from './checks/run-checks.ts';

/** How guests are prepared. */
export interface GuestPreparation {
  /** The way to prepare guests of a kind on a Linux worker. */
  morphOf(osType: Vm['os_type']): MorphGuest;
  /** Prepares a Windows guest on a Windows worker. */
  morphOnWindows(request: WinrmMorphRequest): Promise<MorphOutcome>;
  /** Logs in to a worker that may still be starting. */
  openSsh(access: WorkerAccess, signal: AbortSignal): Promise<SshConnection>;
  /** Inspects the guest on a Linux worker, read-only. */
  readonly inspect: typeof inspectOnWorker;
  /** For the list of the worker's devices. */
  readonly connectWorker: ConnectWorker;
}

/** Everything that the steps of one deployment share. Nothing here survives the engine: what must is in the store. */
export interface DeploymentContext {
  readonly deploymentId: string;
  readonly replicaId: string;
  readonly options: DeploymentOptions;
  readonly store: Store;
  readonly destination: DestinationPlatform;
  /** The destination environment, merged with its defaults, secrets resolved. In memory only. */
  readonly environment: JsonObject;
  /** What it asks of the engine. */
  readonly policy: RunPolicy;
  readonly luksKeys: readonly LuksKey[];
  /** Plain text of the secrets that checks sign in with, by name. In memory only. */
  readonly checkCredentials: ReadonlyMap<string, string>;
  readonly runChecks: typeof runChecks;
  /** The offline rules over the replica's environments. */
  findings(vm: Vm): Promise<readonly Finding[]>;
  readonly ledger: LedgerScope;
  readonly guests: GuestPreparation;
  readonly bootProbe: BootProbe;
  readonly bootPatience: BootPatience;
  readonly replication: Pick<Replication, 'deleteTransferState' | 'openTransferState'>;
  readonly transferFolder: string;
  /** Runs an execution of the replica as part of this migration, to its end; resumed after a crash. */
  execute(pass: string, options: ExecutionOptions, signal: AbortSignal): Promise<void>;
  /** Removes secrets from a text before it is stored. */
  clean(text: string): string;
  event(type: EventType, message: string, details?: JsonObject): void;
  /** Set when a failed deployment's resources stay as they are, as asked. */
  kept: boolean;
}

/** What is needed to work on a replica's volumes by a worker. */
export type ReplicaContext = Pick<
  DeploymentContext,
  | 'deploymentId'
  | 'replicaId'
  | 'options'
  | 'store'
  | 'destination'
  | 'environment'
  | 'policy'
  | 'ledger'
  | 'guests'
  | 'replication'
  | 'transferFolder'
  | 'event'
>;

export function replicaOf(run: Pick<ReplicaContext, 'store' | 'replicaId'>): Replica {
  const replica = run.store.replicas.find(run.replicaId);
  if (replica === undefined) throw new CausewayError('engine.not-found', `replica ${run.replicaId}`);
  return replica;
}

/** @throws `deployment.not-supported` */
export function platformOf(run: DeploymentContext): DeploymentPlatform {
  const { deployment } = run.destination;
  if (deployment === undefined)
    throw new CausewayError('deployment.not-supported', 'the destination cannot create servers');
  return deployment;
}

/** The destination's view of the run. */
export function deploymentRun(
  run: Omit<ReplicaContext, 'guests' | 'replication' | 'store' | 'destination'>,
  vm: Vm,
): DeploymentRun {
  return {
    deploymentId: run.deploymentId,
    replicaId: run.replicaId,
    executionId: run.deploymentId,
    vm,
    environment: run.environment,
    ledger: run.ledger,
    note: (message, details) => run.event('note', message, details),
    preparationRole: workerRole(run, vm),
  };
}

/** The worker that prepares the guest: a Windows guest can be prepared from outside by a Linux worker as well. */
export function workerRole(
  run: { readonly options: DeploymentContext['options']; readonly policy: Pick<RunPolicy, 'hasWindowsWorkerImage'> },
  vm: Vm,
): WorkerRole {
  const onWindows =
    vm.os_type === 'windows' &&
    windowsModeOf(run.options.windowsMode, run.policy, (run.options.luksKeys ?? []).length > 0) === 'worker';
  return onWindows ? 'osmorphing-windows' : 'osmorphing-linux';
}

/** The VM's own order, the disk that it boots from first. */
export function bootFirst(vm: Vm, volumes: readonly Volume[]): readonly Volume[] {
  const boot = vm.disks.find((disk) => disk.bootable === true) ?? vm.disks[0];
  const rank = (volume: Volume): number =>
    volume.diskId === boot?.id ? -1 : vm.disks.findIndex((disk) => disk.id === volume.diskId);
  return volumes.toSorted((a, b) => rank(a) - rank(b));
}
