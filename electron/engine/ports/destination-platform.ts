import type { JsonObject } from '../../../shared/model/json.ts';
import type { Disk, Vm } from '../../../shared/model/vm.ts';
import type { Finding } from '../../../shared/schema/finding.ts';
import type { Catalog } from '../../../shared/model/catalog.ts';
import type { DeploymentPlatform } from './deployment-platform.ts';
import type { DestinationRun, DeviceIdentity, Volume, WorkerAccess, WorkerRole } from './destination-run.ts';
import type { LedgerEntry, LedgerScope, ResourceKind } from './ledger.ts';
import type { OwnVmAccess } from './own-vm.ts';
import type { RunPolicy } from './run-policy.ts';
import type { CheckReport, FeaturePolicy, OptionList } from './platform-common.ts';

export type {
  AttachedVolume,
  DestinationRun,
  DeviceIdentity,
  Volume,
  WorkerAccess,
  WorkerRole,
} from './destination-run.ts';

/** A created resource as the platform reports it. */
export interface ManagedResource {
  readonly kind: ResourceKind;
  readonly id: string;
  readonly name: string;
  /** The ledger entry that it was made for, in the form that the platform could carry. */
  readonly entryId: string;
  readonly replicaId: string | undefined;
  /** The mark of the project data that made it. */
  readonly owner: string | undefined;
  /** What an entry of the ledger has to say so that it can be removed. */
  readonly details: JsonObject;
}

/** One destination endpoint. Every call takes an AbortSignal; errors are `CausewayError` with `cloud.*` codes. */
export interface DestinationPlatform {
  check(signal: AbortSignal): Promise<CheckReport>;
  /** What the account has to be allowed, by feature: what a role with least privilege is made of. Asks nothing. */
  policy?(): readonly FeaturePolicy[];
  /** Features as a document that the platform's own tools take, e.g. a role as JSON. Asks nothing. */
  policyDocument?(features: readonly FeaturePolicy[]): string;
  options(
    names: readonly string[],
    environment: JsonObject,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, OptionList>>>;
  catalog(environment: JsonObject, signal: AbortSignal): Promise<Catalog>;
  /** On-line check: names resolve, ranges fit, quotas suffice. Paths are pointers into the destination environment. */
  checkEnvironment(environment: JsonObject, vm: Vm, signal: AbortSignal): Promise<readonly Finding[]>;
  /** What the environment asks of the engine. Creates and asks nothing. */
  runPolicy(environment: JsonObject): RunPolicy;
  /** Step 1. One volume a disk; existing ones are reused, and grown when the disk grew. */
  ensureVolumes(run: DestinationRun, disks: readonly Disk[], signal: AbortSignal): Promise<readonly Volume[]>;
  /**
   * Step 3, before a worker is started: marks volumes as this project data's, so that a copy of the data on another computer
   * stops before it creates anything. Only for platforms that can mark volumes.
   *
   * @throws `store.replica-elsewhere` when another computer took them over in the meantime
   */
  claimVolumes?(run: DestinationRun, volumes: readonly Volume[], signal: AbortSignal): Promise<void>;
  /** Step 3. A running worker, without volumes as far as a platform has the choice. Safe to repeat after a crash: adopts what is there. */
  startWorker(run: DestinationRun, role: WorkerRole, signal: AbortSignal): Promise<WorkerAccess>;
  /**
   * Step 3. Attaches a volume to a worker and waits until it is attached. Takes it from an earlier worker of the same replica. Safe to
   * repeat: attached already is done.
   *
   * @throws `cloud.volume-in-use` when another server has it, `store.replica-elsewhere` when another computer owns it
   */
  attachVolume(run: DestinationRun, workerId: string, volume: Volume, signal: AbortSignal): Promise<DeviceIdentity>;
  /** Detaches a volume and waits until it is free. Not attached is done. */
  detachVolume(run: DestinationRun, workerId: string, volume: Volume, signal: AbortSignal): Promise<void>;
  /** Why a worker can't answer, in the platform's words, e.g. its status; undefined: it runs, as far as the platform knows. */
  workerFailure(environment: JsonObject, workerId: string, signal: AbortSignal): Promise<string | undefined>;
  /** Step 5. Detaches, deletes the worker and all that was made for it. Idempotent; safe after a partial start. */
  stopWorker(run: DestinationRun, role: WorkerRole, signal: AbortSignal): Promise<void>;
  deleteVolumes(run: DestinationRun, signal: AbortSignal): Promise<void>;
  /** Deletes one created resource of any kind; a missing one counts as deleted. For the clean-up of the ledger. */
  removeResource(entry: LedgerEntry, ledger: LedgerScope, signal: AbortSignal): Promise<void>;
  /** Whether the resource of an entry is still there, found by id or name. */
  findResource(entry: LedgerEntry, signal: AbortSignal): Promise<{ readonly id: string } | undefined>;
  /**
   * Everything on the platform that carries our mark, whether a ledger knows it or not, for finding orphans. An
   * entry's resource is the one whose `entryId` is the entry's or, where ids had to be shortened, whose `id` is.
   *
   * @param within environments of replicas, and details of entries: where to look, besides the endpoint's own project
   */
  listManaged?(within: readonly JsonObject[], signal: AbortSignal): Promise<readonly ManagedResource[]>;
  /** Set where an engine that runs on a VM of this platform can have volumes attached to that VM, instead of to a worker. */
  readonly ownVm?: OwnVmAccess;
  /** Set where the platform can make replicas into running VMs. */
  readonly deployment?: DeploymentPlatform;
  close(): Promise<void>;
}
