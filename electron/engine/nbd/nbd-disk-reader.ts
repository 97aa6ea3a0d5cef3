import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { extentsFrom, type Extent } from '../../../shared/model/extent.ts';
import { refuseOutside, type DiskReader } from '../ports/disk-reader.ts';
import type { NbdClient } from './nbd-client.ts';
import { alignExtents, mergeStatus, zeroInBoth } from './status-extents.ts';

export const BASE_ALLOCATION = 'base:allocation';
const SECTOR = 512;
/** How much one block status request asks after: bounds what the server computes and answers at once. */
const STATUS_WINDOW = 0x80000000;

export function dirtyBitmapContext(bitmap: string): string {
  return `qemu:dirty-bitmap:${bitmap}`;
}

export interface NbdDiskReaderOptions {
  /** Metadata context of the changes since the base; unset: the whole disk. */
  readonly dirtyContext?: string;
  /** Granularity of the change tracking, in bytes. */
  readonly granularityBytes?: number;
  /** Throws when what was read may not be the snapshot. Runs after reads and after the last extent. */
  readonly verify?: () => Promise<void>;
  /** Turns an error of the connection into what it means for the snapshot. */
  readonly explain?: (error: unknown) => Promise<unknown>;
  /**
   * Accept zeros only when two queries agree. For overlays whose status QEMU does not compute atomically: a discard
   * by the guest between two layers can make data look like a hole once, but not twice.
   */
  readonly confirmZeros?: boolean;
  /** Ends what the reader needed, e.g. the server. Runs once. */
  readonly onClose?: () => Promise<void>;
}

/** A disk behind an NBD export. Its size is the export's, rounded up to whole sectors; what is beyond reads as zeros. */
export class NbdDiskReader implements DiskReader {
  readonly sizeBytes: number;
  readonly coverage: 'allocated' | 'changed';
  readonly granularityBytes: number;
  readonly #client: NbdClient;
  readonly #options: NbdDiskReaderOptions;
  #closing: Promise<void> | undefined;

  constructor(client: NbdClient, options: NbdDiskReaderOptions = {}) {
    this.#client = client;
    this.#options = options;
    this.sizeBytes = Math.ceil(client.info.sizeBytes / SECTOR) * SECTOR;
    this.coverage = options.dirtyContext === undefined ? 'allocated' : 'changed';
    this.granularityBytes = options.granularityBytes ?? SECTOR;
    if (options.dirtyContext !== undefined && !client.info.contexts.has(options.dirtyContext)) {
      throw new CausewayError('source.protocol', `the NBD server does not provide the context ${options.dirtyContext}`);
    }
  }

  async *extents(signal: AbortSignal, fromBytes = 0): AsyncIterable<Extent> {
    const first = fromBytes - (fromBytes % SECTOR);
    yield* extentsFrom(
      alignExtents(this.#statusExtents(signal, first), SECTOR, this.#client.info.sizeBytes),
      fromBytes,
    );
    await this.#options.verify?.();
  }

  async read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    refuseOutside(this, offset, into.length);
    const there = Math.max(0, Math.min(into.length, this.#client.info.sizeBytes - offset));
    if (there > 0) {
      await this.#explained(() =>
        this.#client.read(offset, there === into.length ? into : into.subarray(0, there), signal),
      );
    }
    if (there < into.length) into.fill(0, there);
    await this.#options.verify?.();
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    try {
      await this.#client.close();
    } finally {
      await this.#options.onClose?.();
    }
  }

  async *#statusExtents(signal: AbortSignal, first: number): AsyncIterable<Extent> {
    const { sizeBytes, contexts } = this.#client.info;
    if (contexts.size === 0) {
      if (sizeBytes > first) yield { offset: first, length: sizeBytes - first, kind: 'data' };
      return;
    }
    for (let at = first; at < sizeBytes;) {
      const length = Math.min(STATUS_WINDOW, sizeBytes - at);
      const status = await this.#explained(() => this.#client.blockStatus(at, length, signal));
      const dirty = this.#options.dirtyContext === undefined ? undefined : status.get(this.#options.dirtyContext);
      let allocation = status.get(BASE_ALLOCATION);
      if (this.#options.confirmZeros === true && allocation !== undefined) {
        const again = await this.#explained(() => this.#client.blockStatus(at, length, signal));
        allocation = zeroInBoth(allocation, again.get(BASE_ALLOCATION) ?? []);
      }
      const merged = mergeStatus(at, sizeBytes, allocation, dirty);
      if (merged.covered <= at) throw new CausewayError('source.protocol', `the NBD server sent no status at ${at}`);
      yield* merged.extents;
      at = merged.covered;
    }
  }

  async #explained<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      throw this.#options.explain === undefined ? error : await this.#options.explain(error);
    }
  }
}
