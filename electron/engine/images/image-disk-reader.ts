import { setImmediate as nextTurn } from 'node:timers/promises';
import { copyBytes } from '../concurrency/copy-bytes.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { extentsFrom, type Extent } from '../../../shared/model/extent.ts';
import { allSettledOrThrow } from '../concurrency/all-settled-or-throw.ts';
import { refuseOutside, type DiskReader } from '../ports/disk-reader.ts';
import { ByteCache } from './byte-cache.ts';
import { findZeros } from './find-zeros.ts';
import type { Run } from './layer.ts';
import type { OpenImage } from './open-image.ts';
import { resolveRuns } from './resolve-runs.ts';

export interface ImageDiskReaderOptions {
  /** Throws when what was read may not be the snapshot. Runs after reads and after the last extent. */
  readonly verify?: () => Promise<void>;
  /** Runs once, after the image is closed. */
  readonly onClose?: () => Promise<void>;
}

const SECTOR = 512;
/** Unpacked clusters that are kept for the next read. */
const UNPACKED_CACHE_BYTES = 16 * 1024 * 1024;
/** Reads of one `read` that the system has at a time. */
const CONCURRENCY = 8;
/** Extents that are kept, so that a second pass costs nothing. */
const MAX_REMEMBERED = 500_000;
/** How long tables are read before the event loop gets a turn: with cached tables nothing here waits. */
const TURN_MS = 20;

/** A disk image as a disk to read. */
export class ImageDiskReader implements DiskReader {
  readonly sizeBytes: number;
  readonly coverage = 'allocated';
  readonly granularityBytes = SECTOR;
  readonly #image: OpenImage;
  readonly #options: ImageDiskReaderOptions;
  readonly #unpacked = new ByteCache(UNPACKED_CACHE_BYTES);
  #remembered: readonly Extent[] | undefined;
  #closing: Promise<void> | undefined;

  constructor(image: OpenImage, options: ImageDiskReaderOptions = {}) {
    this.#image = image;
    this.#options = options;
    this.sizeBytes = image.sizeBytes;
  }

  async *extents(signal: AbortSignal, fromBytes = 0): AsyncIterable<Extent> {
    yield* extentsFrom(this.#extents(signal), fromBytes);
    await this.#options.verify?.();
  }

  async *#extents(signal: AbortSignal): AsyncIterable<Extent> {
    if (this.#remembered !== undefined) yield* this.#remembered;
    else {
      const seen: Extent[] = [];
      for await (const extent of this.#joined(signal)) {
        if (seen.length <= MAX_REMEMBERED) seen.push(extent);
        yield extent;
      }
      if (seen.length <= MAX_REMEMBERED) this.#remembered = seen;
    }
  }

  async read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    refuseOutside(this, offset, into.length);
    const tasks: (() => Promise<void>)[] = [];
    for (let at = 0; at < into.length;) {
      this.#throwIfOver(signal);
      for (const run of await resolveRuns(this.#image.layers, offset + at, into.length - at)) {
        const target = into.subarray(at, at + run.length);
        at += run.length;
        if (run.kind === 'stored' || run.kind === 'packed') tasks.push(() => this.#fill(target, run));
        else target.fill(0);
      }
    }
    await this.#mapConcurrently(tasks, signal);
    await this.#options.verify?.();
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    try {
      await this.#image.close();
    } finally {
      await this.#options.onClose?.();
    }
  }

  async #fill(target: Uint8Array, run: Run): Promise<void> {
    if (run.kind === 'stored') await run.file.read(run.at, target);
    else if (run.kind === 'packed') {
      const unpacked = await this.#unpacked.get(run.unit.key, run.unit.load);
      copyBytes(unpacked.subarray(run.skip, run.skip + run.length), target);
    }
  }

  async #mapConcurrently(tasks: readonly (() => Promise<void>)[], signal: AbortSignal): Promise<void> {
    let next = 0;
    const lane = async () => {
      for (let task = tasks[next++]; task !== undefined; task = tasks[next++]) {
        this.#throwIfOver(signal);
        await task();
      }
    };
    // After an error nothing may still write to the caller's buffer.
    await allSettledOrThrow(Array.from({ length: Math.min(CONCURRENCY, tasks.length) }, lane));
  }

  async *#joined(signal: AbortSignal): AsyncIterable<Extent> {
    let open: Extent | undefined;
    for await (const { length, kind } of this.#pieces(signal)) {
      if (open?.kind === kind) open = { ...open, length: open.length + length };
      else {
        if (open !== undefined) yield open;
        open = { offset: open === undefined ? 0 : open.offset + open.length, length, kind };
      }
    }
    if (open !== undefined) yield { ...open, length: this.sizeBytes - open.offset };
  }

  /** The disk in order as data and zeros, whole sectors but at its end. */
  async *#pieces(signal: AbortSignal): AsyncIterable<Pick<Extent, 'length' | 'kind'>> {
    const [top] = this.#image.layers;
    const size = top?.sizeBytes ?? 0;
    for (let at = 0, since = performance.now(); at < size;) {
      this.#throwIfOver(signal);
      if (performance.now() - since > TURN_MS) {
        await nextTurn();
        since = performance.now();
      }
      for (const run of await resolveRuns(this.#image.layers, at, size - at)) {
        at += run.length;
        if (run.kind === 'stored' && run.mayBeHoles === true) yield* findZeros(run, signal);
        else yield { length: run.length, kind: run.kind === 'stored' || run.kind === 'packed' ? 'data' : 'zero' };
      }
    }
  }

  #throwIfOver(signal: AbortSignal): void {
    if (signal.aborted) throw new CausewayError('general.cancelled', 'reading an image was cancelled');
    if (this.#closing !== undefined) throw new CausewayError('general.cancelled', 'the image was closed');
  }
}
