import { z } from 'zod';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import type { LedgerScope } from './ledger.ts';
import type { IscsiLogin, WorkerDevice, WorkerSession } from './write-target.ts';

/** A destination volume of a replica. Plain data. */
export interface Volume {
  readonly id: string;
  /** The source disk that it replicates. */
  readonly diskId: string;
  readonly sizeBytes: number;
  /** True when the call that returned it created it, so that it is known to be empty. */
  readonly createdByThisCall: boolean;
}

/**
 * As the store has it. Volumes that an earlier version recorded have no `createdByThisCall`; they count as ones that may hold data.
 * To refuse them would have a resumed run create volumes again.
 */
export const volumeSchema: z.ZodType<Volume> = z.looseObject({
  id: z.string(),
  diskId: z.string(),
  sizeBytes: z.number(),
  createdByThisCall: z.boolean().default(false),
});

/**
 * What the platform knows of the device that a volume is on a worker, and its size in bytes (or up to one GiB less than the device's).
 * `serial`: a prefix of at least 20 characters may be all that the hypervisor passes on. `lun`: of the SCSI disk; `isLinked`: by the cloud's udev rules alone, where the machine may have disks of others. `by-path`: its name in
 * `/dev/disk/by-path`, without the LUN where the worker has to log in to it first, or the kernel's own name where the platform gives that. `order`: only its place among the volumes attached to this worker, from 1.
 */
export type DeviceIdentity = { readonly sizeBytes: number } & (
  | { readonly kind: 'serial'; readonly serial: string }
  | { readonly kind: 'lun'; readonly lun: number; readonly isLinked?: true }
  | { readonly kind: 'by-path'; readonly path: string; readonly login?: IscsiLogin }
  | { readonly kind: 'order'; readonly order: number }
);

export interface AttachedVolume {
  readonly volume: Volume;
  readonly identity: DeviceIdentity;
  /** The one device that appeared with it: no other one is its. */
  readonly device?: Pick<WorkerDevice, 'path' | 'sequence'>;
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
  /** How many volumes it takes at once; undefined: as many as there are. More than that are copied in turns. */
  readonly volumesAtOnce?: number;
  /**
   * The SSH host key to expect, if the platform could tell (user data that set it, console log): `<type> <base64>`.
   * Undefined: trust on first use within this worker's life, pinned after that.
   */
  readonly hostKey?: string;
  /** Executions use it in turn: what one of them wrote need not be sent again by the next one. */
  readonly isPooled?: boolean;
  /** Name of the platform's VM that this engine runs on, where the volumes are attached to it: it is no worker that could be replaced. */
  readonly ownVm?: string;
  /** Set where the platform takes the volumes' blocks itself, without a worker: what is in the place of the agent; or where the agent runs on this computer. */
  readonly open?: (signal: AbortSignal) => Promise<WorkerSession>;
  /** Set for Windows workers: WinRM over HTTPS, basic authentication as `username`. Its certificate has this SHA-256, in hex. */
  readonly winrm?: { readonly port: number; readonly password: string; readonly certificateSha256: string };
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
