import type { JsonObject } from '../../../shared/model/json.ts';
import type { Disk, Vm } from '../../../shared/model/vm.ts';
import type { Finding } from '../../../shared/validation/finding.ts';
import type { Catalog } from '../../../shared/validation/catalog.ts';
import type { DeploymentPlatform } from './deployment-platform.ts';
import type { LedgerEntry, LedgerScope, ResourceKind } from './ledger.ts';
import type { CheckReport, OptionList } from './platform-common.ts';

/** A destination volume of a replica. Plain data. */
export interface Volume {
  readonly id: string;
  /** The source disk that it replicates. */
  readonly diskId: string;
  /** What the worker sees as the device's serial; a prefix of it may be all that the hypervisor passes on. */
  readonly serial: string;
  readonly sizeBytes: number;
  /** True when this call created it (so that it is known to be empty). */
  readonly isNew: boolean;
}

/** How to reach a worker. Keys and certificates were made for this worker alone. Lives in memory only. */
export interface WorkerAccess {
  readonly workerId: string;
  readonly host: string;
  readonly sshPort: number;
  /** Port of the agent's TLS listener as seen from here (5566 unless a rig maps it). */
  readonly httpsPort: number;
  readonly username: string;
  readonly privateKeyPem: string;
  /**
   * The SSH host key to expect, if the platform could tell (user data that set it, console log): `<type> <base64>`.
   * Undefined: trust on first use within this worker's life, pinned after that.
   */
  readonly hostKey?: string;
  /** Set for Windows workers: WinRM over HTTPS, basic authentication as `username`. */
  readonly winrm?: { readonly port: number; readonly password: string };
  readonly attached: readonly Volume[];
}

export type WorkerRole = 'disk-copy' | 'osmorphing-linux' | 'osmorphing-windows';

/** Everything that a run of one replica on one destination needs to know; made by the engine for each run. */
export interface DestinationRun {
  readonly replicaId: string;
  readonly executionId: string;
  readonly vm: Vm;
  /** The effective environment (merged with provider configuration and built-in defaults), already validated. */
  readonly environment: JsonObject;
  readonly ledger: LedgerScope;
  /** Narrative of what happens, for the events of the run. No secrets. */
  readonly note: (message: string, details?: JsonObject) => void;
}

/** A resource of ours as the platform shows it. */
export interface ManagedResource {
  readonly kind: ResourceKind;
  readonly id: string;
  readonly name: string;
  /** The ledger entry that it was made for, in the form that the platform could carry. */
  readonly entryId: string;
  readonly replicaId: string | undefined;
}

/** One destination endpoint. Every call takes an AbortSignal; errors are `CausewayError` with `cloud.*` codes. */
export interface DestinationPlatform {
  check(signal: AbortSignal): Promise<CheckReport>;
  options(names: readonly string[], environment: JsonObject, signal: AbortSignal): Promise<Readonly<Record<string, OptionList>>>;
  catalog(environment: JsonObject, signal: AbortSignal): Promise<Catalog>;
  /** On-line check: names resolve, ranges fit, quotas suffice. Paths are pointers into the destination environment. */
  checkEnvironment(environment: JsonObject, vm: Vm, signal: AbortSignal): Promise<readonly Finding[]>;
  /** Step 1. One volume a disk; existing ones are reused, and grown when the disk grew. */
  ensureVolumes(run: DestinationRun, disks: readonly Disk[], signal: AbortSignal): Promise<readonly Volume[]>;
  /** Step 3. A running worker with the volumes attached. Safe to repeat after a crash: adopts what is there. */
  startWorker(run: DestinationRun, role: WorkerRole, volumes: readonly Volume[], signal: AbortSignal): Promise<WorkerAccess>;
  /** Why a worker can't answer, in the platform's words, e.g. its status; undefined: it runs, as far as the platform knows. */
  whyWorkerIsDown(environment: JsonObject, workerId: string, signal: AbortSignal): Promise<string | undefined>;
  /** Step 5. Detaches, deletes the worker and all that was made for it. Idempotent; safe after a partial start. */
  stopWorker(run: DestinationRun, role: WorkerRole, signal: AbortSignal): Promise<void>;
  deleteVolumes(run: DestinationRun, signal: AbortSignal): Promise<void>;
  /** Removes one resource of ours, whatever it is; "not there" is done. For the ledger's clean-up. */
  removeResource(entry: LedgerEntry, ledger: LedgerScope, signal: AbortSignal): Promise<void>;
  /** Whether the resource of an entry is still there, found by id or name. */
  findResource(entry: LedgerEntry, signal: AbortSignal): Promise<{ readonly id: string } | undefined>;
  /**
   * Everything on the platform that carries our mark, whether a ledger knows it or not, for finding orphans. An
   * entry's resource is the one whose `entryId` is the entry's or, where ids had to be shortened, whose `id` is.
   */
  listManaged?(environment: JsonObject, signal: AbortSignal): Promise<readonly ManagedResource[]>;
  /** Set where the platform can make replicas into running VMs. */
  readonly deployment?: DeploymentPlatform;
  close(): Promise<void>;
}
