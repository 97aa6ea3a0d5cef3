import { CausewayError } from '../../../shared/model/causeway-error.ts';
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
  /**
   * Ascending, not overlapping, never empty, within the disk. May be called again to start over.
   *
   * @param fromBytes leaves out what ends before it and cuts the extent that crosses it, so that a source that needs tokens
   *   or maps lists no more than is read. Default 0.
   */
  extents(signal: AbortSignal, fromBytes?: number): AsyncIterable<Extent>;
  /**
   * Fills `into` with the bytes at `offset`: any range of the disk, in any order, also where `extents` yields nothing or a
   * hole, and before it was asked. Rejects with a `source.*` code; never resolves short.
   */
  read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** For `read`: a range outside the disk is a bug of the caller. */
export function refuseOutside({ sizeBytes }: Pick<DiskReader, 'sizeBytes'>, offset: number, length: number): void {
  if (offset >= 0 && offset + length <= sizeBytes) return;
  throw new CausewayError('general.bug', `[${offset}, +${length}) is outside the disk of ${sizeBytes} bytes`);
}

/** The readers that a source has open: who closes the source closes them too. */
export class OpenReaders {
  readonly #open = new Set<DiskReader>();

  /** The reader as it is handed out, known until it is closed. */
  track(reader: DiskReader): DiskReader {
    const tracked: DiskReader = {
      sizeBytes: reader.sizeBytes,
      coverage: reader.coverage,
      granularityBytes: reader.granularityBytes,
      extents: (signal, fromBytes) => reader.extents(signal, fromBytes),
      read: (offset, into, signal) => reader.read(offset, into, signal),
      close: () => {
        this.#open.delete(tracked);
        return reader.close();
      },
    };
    this.#open.add(tracked);
    return tracked;
  }

  async closeAll(): Promise<void> {
    await Promise.allSettled([...this.#open].map((reader) => reader.close()));
  }
}
