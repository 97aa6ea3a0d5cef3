import type { Extent } from '../../../shared/model/extent.ts';

/**
 * One disk of one snapshot, open for reading. Reads may overlap in time: the pipeline keeps several in flight.
 */
export interface DiskReader {
  /** Size of the disk in bytes, a multiple of 512. */
  readonly sizeBytes: number;
  /**
   * What `extents` yields: `allocated` = the whole disk in order, holes as `zero`; `changed` = only what differs from
   * the base, where a changed run that now reads as zeros comes as `zero`.
   */
  readonly coverage: 'allocated' | 'changed';
  /** The source's change tracking granularity in bytes; extents of `changed` are no finer than this. */
  readonly granularityBytes: number;
  /** Ascending, not overlapping, never empty, within the disk. May be called once more to start again. */
  extents(signal: AbortSignal): AsyncIterable<Extent>;
  /** Fills `into` with the bytes at `offset`. Rejects with a `source.*` code; never resolves short. */
  read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
