import type { ManagedObject } from '../client/request.ts';
import type { DiskContent } from './disk-content.ts';

/** One disk of one snapshot, as every way to its bytes needs it. */
export interface DiskToOpen {
  readonly vm: ManagedObject;
  readonly snapshot: ManagedObject;
  /** Key of the device, the same in the VM and in all of its snapshots. */
  readonly deviceKey: number;
  readonly sizeBytes: number;
  /** The frozen file of the disk, where it lies now: storage migration moves it while it is read. */
  path(signal: AbortSignal): Promise<string>;
  readonly environment: Readonly<Record<string, unknown>>;
}

/** The ways to the bytes of disks: one is chosen for each disk. */
export interface DiskAccess {
  open(disk: DiskToOpen, signal: AbortSignal): Promise<DiskContent>;
  close(): Promise<void>;
}
