import type { JsonObject } from '../../../shared/model/json.ts';
import type { DestinationRun, DeviceIdentity, Volume } from './destination-run.ts';
import type { LedgerEntry } from './ledger.ts';
import type { WorkerSession } from './write-target.ts';

/** Attaches volumes to a VM of the user's own, on which an engine runs. It is never started, stopped or deleted. */
export interface OwnVmAccess {
  /** @throws CausewayError `engine.own-vm-unusable` when there is no such VM, or it does not run */
  check(environment: JsonObject, vmId: string, signal: AbortSignal): Promise<{ readonly name: string }>;
  /**
   * As `attachVolume`, but recorded: `removeResource` of the entry detaches it again, on whatever computer. The device has to be found by a serial:
   * such a VM has disks of its own.
   *
   * @throws `cloud.volume-in-use` when another server has it
   */
  attachVolume(run: DestinationRun, vmId: string, volume: Volume, signal: AbortSignal): Promise<DeviceIdentity & { readonly kind: 'serial' }>;
}

/** The source's VM on which an engine runs, for one execution: copies of disks are attached to it, and read there. */
export interface OwnVmOfSource {
  readonly vmId: string;
  readonly vmName: string;
  /** Whether this execution may have so many copies attached at the same time. What it got once, it has until it ends. */
  lease(copies: number): boolean;
  /** Starts the agent on this computer. */
  connect(signal: AbortSignal): Promise<WorkerSession>;
}

const prefix = 'own-vm/';

/** The key of the attachment of a volume to such a VM. */
export function ownVmKey(volumeId: string): string {
  return `${prefix}${volumeId}`;
}

const copyPrefix = 'own-vm-copy/';

/** The key of the attachment of a copy of a source's disk to such a VM. */
export function ownVmCopyKey(volumeId: string): string {
  return `${copyPrefix}${volumeId}`;
}

/** Whether an entry is the attachment of a copy of a source's disk to such a VM. */
export function isCopyAttachment({ kind, key }: Pick<LedgerEntry, 'kind' | 'key'>): boolean {
  return kind === 'attachment' && key.startsWith(copyPrefix);
}

/** Whether an entry is the attachment of a volume to such a VM. */
export function isOwnVmAttachment({ kind, key }: Pick<LedgerEntry, 'kind' | 'key'>): boolean {
  return kind === 'attachment' && key.startsWith(prefix);
}
