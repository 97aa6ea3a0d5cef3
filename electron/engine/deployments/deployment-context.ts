import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { DeploymentOptions } from '../../../shared/model/deployment.ts';
import type { EventType } from '../../../shared/model/event.ts';
import type { ExecutionOptions } from '../../../shared/model/execution.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { vmSchema, type Vm } from '../../../shared/model/vm.ts';
import type { Finding } from '../../../shared/validation/finding.ts';
import type { ConnectWorker } from '../executions/execution-context.ts';
import type { Replication } from '../executions/replication-port.ts';
import type { Values } from '../jobs/runner.ts';
import { windowsModeOf, type LuksKey, type MorphGuest, type MorphOutcome, type WinrmMorphRequest } from '../osmorphing/index.ts';
import type { DeployedNic, DeploymentPlan, DeploymentPlatform, DeploymentRun, VolumeSnapshot } from '../ports/deployment-platform.ts';
import type { DestinationPlatform, Volume, WorkerAccess, WorkerRole } from '../ports/destination-platform.ts';
import type { RunPolicy } from '../ports/run-policy.ts';
import type { LedgerScope } from '../ports/ledger.ts';
import type { Store } from '../store/store.ts';
import type { SshConnection } from '../transport/ssh-connection.ts';
import type { WorkerWithVolumes } from '../workers/attach-volumes.ts';
import type { BootProbe } from './boot-probe.ts';

/** How guests are prepared. */
export interface GuestPreparation {
  /** The way to prepare guests of a kind on a Linux worker. */
  morphOf(osType: Vm['os_type']): MorphGuest;
  /** Prepares a Windows guest on a Windows worker. */
  morphOnWindows(request: WinrmMorphRequest): Promise<MorphOutcome>;
  /** Logs in to a worker that may still be starting. */
  openSsh(access: WorkerAccess, signal: AbortSignal): Promise<SshConnection>;
  /** For the list of the worker's devices. */
  readonly connectWorker: ConnectWorker;
}

/** Everything that the steps of one deployment share. Nothing here survives the engine; what has to is in the store. */
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
  /** The offline rules over the replica's environments. */
  findings(vm: Vm): Promise<readonly Finding[]>;
  readonly ledger: LedgerScope;
  readonly guests: GuestPreparation;
  readonly bootProbe: BootProbe;
  readonly replication: Pick<Replication, 'deleteTransferState' | 'openTransferState'>;
  readonly transferFolder: string;
  /** Runs an execution of the replica as part of this migration, to its end; resumed after a crash. */
  execute(pass: string, options: ExecutionOptions, signal: AbortSignal): Promise<void>;
  /** Frees a text of secrets before it is stored. */
  clean(text: string): string;
  event(type: EventType, message: string, details?: JsonObject): void;
  /** Set when a failed deployment's resources stay as they are, as asked. */
  kept: boolean;
}

export function replicaOf(run: DeploymentContext): Replica {
  const replica = run.store.replicas.find(run.replicaId);
  if (replica === undefined) throw new CausewayError('engine.not-found', `replica ${run.replicaId}`);
  return replica;
}

/** @throws `deployment.not-supported` */
export function platformOf(run: DeploymentContext): DeploymentPlatform {
  const { deployment } = run.destination;
  if (deployment === undefined) throw new CausewayError('deployment.not-supported', 'the destination cannot create servers');
  return deployment;
}

/** The destination's view of the run. */
export function deploymentRun(run: DeploymentContext, vm: Vm): DeploymentRun {
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
export function workerRole(run: { readonly options: DeploymentContext['options']; readonly policy: Pick<RunPolicy, 'hasWindowsWorkerImage'> }, vm: Vm): WorkerRole {
  const onWindows = vm.os_type === 'windows' && windowsModeOf(run.options.windowsMode, run.policy) === 'worker';
  return onWindows ? 'osmorphing-windows' : 'osmorphing-linux';
}

/** The VM's own order, the disk that it boots from first. */
export function bootFirst(vm: Vm, volumes: readonly Volume[]): readonly Volume[] {
  const boot = vm.disks.find((disk) => disk.bootable === true) ?? vm.disks[0];
  const rank = (volume: Volume): number => (volume.diskId === boot?.id ? -1 : vm.disks.findIndex((disk) => disk.id === volume.diskId));
  return volumes.toSorted((a, b) => rank(a) - rank(b));
}

export function vmOf(values: Values): Vm {
  return vmSchema.parse(values['vm']);
}

// The values below were made by our own steps, in this life of the engine or (but for plan and worker) in an earlier one.
export function volumesOf(values: Values): readonly Volume[] {
  return values['volumes'] as readonly Volume[];
}

export function deployedVolumesOf(values: Values): readonly Volume[] {
  return values['deployedVolumes'] as readonly Volume[];
}

/** Undefined when the snapshots were not completed, or for a clean-up that came before them. */
export function snapshotsOf(values: Values): readonly VolumeSnapshot[] | undefined {
  return values['snapshots'] as readonly VolumeSnapshot[] | undefined;
}

export function planOf(values: Values): DeploymentPlan {
  return values['plan'] as DeploymentPlan;
}

export function nicsOf(values: Values): readonly DeployedNic[] {
  return values['nics'] as readonly DeployedNic[];
}

export function workerOf(values: Values): WorkerWithVolumes {
  return values['worker'] as WorkerWithVolumes;
}
