import type { JsonObject } from '../../../../../../shared/model/json.ts';
import type { DiskReader } from '../../../../ports/disk-reader.ts';
import type { DiskMark, MarkedDisk, TakeRequest } from '../source-context.ts';

/**
 * One way to read the disks of servers. What it creates is in the ledger under keys that start with the snapshot's
 * tag, so that a call that is repeated finds what an earlier one made.
 */
export interface ExportMechanism {
  /** Learns, before anything is made, whether what the environment names is there. */
  prepare?(environment: JsonObject, signal: AbortSignal): Promise<void>;
  /** Makes what is needed to read each disk as it is now; resolves with the disks' marks in the order of `disks`. */
  take(request: TakeRequest, signal: AbortSignal): Promise<readonly DiskMark[]>;
  isAlive(disk: MarkedDisk, signal: AbortSignal): Promise<boolean>;
  /** With `base`, only what changed since then, if that is known. */
  open(disk: MarkedDisk, base: MarkedDisk | undefined, signal: AbortSignal): Promise<DiskReader>;
  /** The snapshot is the base from now on: removes what only reading needed, and of the former base what nothing needs. */
  commit(tag: string, disks: readonly MarkedDisk[], signal: AbortSignal): Promise<void>;
  /**
   * Removes all that was made for the snapshot. Idempotent. `alone`: its parent is still a base;
   * `ancestors`: parents that nothing else depends on are removed as well.
   */
  drop(tag: string, disks: readonly MarkedDisk[], scope: 'alone' | 'ancestors', signal: AbortSignal): Promise<void>;
  /** Removes what is kept here, on this machine, for disks that are no base any more. */
  forget?(disks: readonly MarkedDisk[]): Promise<void>;
  close(): Promise<void>;
}
