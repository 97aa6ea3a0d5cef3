import type { JsonObject } from '../../../../../../shared/model/json.ts';
import type { DiskReader } from '../../../../ports/disk-reader.ts';
import type { DiskMark } from '../source-context.ts';
import type { ReadingCost } from './ebs-direct/request-count.ts';

/** What is opened. */
export interface OpenRequest {
  /** The snapshot's tag. */
  readonly tag: string;
  readonly vmId: string;
  readonly environment: JsonObject;
  readonly disk: DiskMark;
  /** How many disks the snapshot has. */
  readonly disks: number;
  /** The same disk in the base, if the snapshot was taken on it and the base was read in the same way. */
  readonly base: { readonly tag: string; readonly disk: DiskMark } | undefined;
}

/** One way to read the disks of snapshots. What it creates stands in the ledger under keys that begin with the snapshot's tag, or with `worker/`;
 * attachments to VMs that engines run on have keys of their own. */
export interface ReadMechanism {
  /** Learns, before anything is made, whether what the environment names is there. */
  prepare(vmId: string, environment: JsonObject, signal: AbortSignal): Promise<void>;
  open(request: OpenRequest, signal: AbortSignal): Promise<DiskReader>;
  /** Removes what only reading needed, but for what stands under the tag's keys. */
  stop(signal: AbortSignal): Promise<void>;
  /** What reading cost; undefined when nothing is known. */
  cost(): ReadingCost | undefined;
  /** Removes what is kept here, on this computer, of a snapshot that is no base any more. */
  forget(tag: string, disks: readonly DiskMark[]): Promise<void>;
  close(): Promise<void>;
}
