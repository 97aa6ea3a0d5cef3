import type { IncomingMessage } from 'node:http';
import { copyBytes } from '../../../concurrency/copy-bytes.ts';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { readVmdkStream, type StreamedGrain } from '../../../images/vmdk-stream.ts';
import { backOffMs, type BackOff } from '../../../time/back-off.ts';
import { systemClock, type Clock } from '../../../time/clock.ts';
import type { DiskContent } from '../disk-access/disk-content.ts';
import { linkFailure, throwIfCancelled } from '../disk-access/file-server.ts';

export interface StreamedDiskOptions {
  readonly name: string;
  readonly sizeBytes: number;
  /** Requests the stream from its beginning. Called again after a loss, and for bytes that have gone by. */
  readonly open: (signal: AbortSignal) => Promise<IncomingMessage>;
  /** How far the stream has come, each time it goes on. */
  readonly onProgress?: (bytes: number) => void;
  /** Told when the stream starts over, with the byte that is wanted. */
  readonly onRestart?: (wanted: number, why: string) => void;
  /** Unpacked bytes that are kept after they went by, for reads that come out of order. */
  readonly windowBytes?: number;
  /** With a read waiting and no byte received for this long, the stream is lost. */
  readonly inactivityMs?: number;
  readonly clock?: Clock;
  readonly backOff?: BackOff;
}

const WINDOW_BYTES = 32 * 1024 * 1024;
const INACTIVITY_MS = 120_000;
const BACK_OFF: BackOff = { attempts: 5, firstMs: 1000, capMs: 30_000 };

interface Waiting {
  readonly offset: number;
  readonly end: number;
  /** Every byte before `end` has gone by: what the stream had of it. */
  readonly arrived: (grains: readonly Kept[]) => void;
  readonly fail: (reason: unknown) => void;
}

interface Kept {
  readonly offset: number;
  readonly length: number;
  readonly bytes: Promise<Buffer>;
}

/** The stream that is under way. */
interface Running {
  readonly answer: IncomingMessage;
  readonly grains: AsyncIterator<StreamedGrain>;
}

/**
 * A disk that arrives as one compressed stream, from its beginning. Reads that ascend, as the replication's do, follow the
 * stream with a window of memory and no disk space; nothing is received before a read needs it. A read of what has left the
 * window lets the stream start over, which receives everything before it again.
 */
export class StreamedDisk implements DiskContent {
  readonly sizeBytes: number;
  readonly #options: StreamedDiskOptions;
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting>();
  readonly #ended = new AbortController();
  /** Ascending. Everything from `#keptFrom` to `#position` that is not in it is zeros. */
  #kept: Kept[] = [];
  #keptBytes = 0;
  #keptFrom = 0;
  #position = 0;
  /** The furthest that any stream came: a stream that fails before it made no progress. */
  #furthest = 0;
  #failures = 0;
  #running: Running | undefined;
  #pumping: Promise<void> | undefined;

  constructor(options: StreamedDiskOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.sizeBytes = options.sizeBytes;
  }

  /** The whole stream went by at least once. */
  get isComplete(): boolean {
    return this.#furthest >= this.sizeBytes;
  }

  async read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    if (!(offset >= 0 && offset + into.length <= this.sizeBytes))
      throw new CausewayError(
        'general.bug',
        `[${offset}, +${into.length}) is outside the disk of ${this.sizeBytes} bytes`,
      );
    const ends = AbortSignal.any([signal, this.#ended.signal]);
    throwIfCancelled(ends);
    const grains = await this.#arrival(offset, offset + into.length, ends);
    const unpacked = await Promise.all(grains.map(async (grain) => ({ ...grain, bytes: await grain.bytes })));
    throwIfCancelled(ends);
    into.fill(0);
    for (const { offset: at, length, bytes } of unpacked) {
      const from = Math.max(at, offset);
      const to = Math.min(at + length, offset + into.length);
      copyBytes(bytes.subarray(from - at, to - at), into, from - offset);
    }
  }

  async close(): Promise<void> {
    this.#ended.abort(new CausewayError('general.cancelled', 'the disk was closed'));
    this.#stop();
    await this.#pumping;
    this.#kept = [];
  }

  #arrival(offset: number, end: number, signal: AbortSignal): Promise<readonly Kept[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Kept[]>();
    const waiting: Waiting = { offset, end, arrived: resolve, fail: reject };
    const onAbort = (): void => {
      this.#waiting.delete(waiting);
      reject(
        signal.reason instanceof CausewayError
          ? signal.reason
          : new CausewayError('general.cancelled', 'reading from the source was cancelled'),
      );
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.add(waiting);
    this.#wake();
    return promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  #wake(): void {
    this.#pumping ??= this.#pump().finally(() => {
      this.#pumping = undefined;
      // Whoever came while it ended.
      if (this.#waiting.size > 0 && !this.#ended.signal.aborted) this.#wake();
    });
  }

  /** Follows the stream as long as somebody waits for it. */
  async #pump(): Promise<void> {
    // The first turn belongs to whoever calls: reads that come together are seen together.
    await Promise.resolve();
    while (this.#waiting.size > 0 && !this.#ended.signal.aborted) {
      this.#settle();
      const lowest = this.#lowestWanted();
      if (lowest === undefined) continue;
      if (lowest < this.#keptFrom) {
        this.#options.onRestart?.(lowest, 'the bytes have gone by');
        this.#startOver();
      }
      try {
        await this.#advance();
      } catch (error) {
        await this.#lost(error);
      }
    }
  }

  async #advance(): Promise<void> {
    this.#running ??= await this.#open();
    const { answer, grains } = this.#running;
    const { done, value } = await this.#inTime(answer, () => grains.next());
    if (done === true) {
      this.#stop();
      this.#reach(this.sizeBytes);
      return;
    }
    const lowest = this.#lowestWanted() ?? 0;
    // What nobody waits for, far behind what somebody does, is not worth unpacking.
    if (value.offset + value.length <= lowest - this.#windowBytes) this.#drop(value.offset + value.length);
    else this.#keep(value);
    this.#reach(value.offset + value.length);
  }

  #keep(grain: StreamedGrain): void {
    const bytes = grain.unpack();
    // Told to whoever reads it; until then nobody listens.
    bytes.catch(() => undefined);
    this.#kept.push({ offset: grain.offset, length: grain.length, bytes });
    this.#keptBytes += grain.length;
  }

  #reach(position: number): void {
    this.#position = position;
    if (position > this.#furthest) {
      this.#furthest = position;
      this.#failures = 0;
    }
    this.#options.onProgress?.(position);
    this.#settle();
    let dropped = 0;
    const lowest = this.#lowestWanted() ?? position;
    for (const { offset, length } of this.#kept) {
      if (this.#keptBytes <= this.#windowBytes || offset + length > lowest) break;
      this.#keptBytes -= length;
      this.#keptFrom = offset + length;
      dropped += 1;
    }
    if (dropped > 0) this.#kept = this.#kept.slice(dropped);
  }

  #drop(until: number): void {
    this.#kept = [];
    this.#keptBytes = 0;
    this.#keptFrom = until;
  }

  #settle(): void {
    for (const waiting of this.#waiting) {
      if (waiting.offset < this.#keptFrom || waiting.end > this.#position) continue;
      this.#waiting.delete(waiting);
      waiting.arrived(
        this.#kept.filter(({ offset, length }) => offset < waiting.end && offset + length > waiting.offset),
      );
    }
  }

  #lowestWanted(): number | undefined {
    let lowest: number | undefined;
    for (const { offset } of this.#waiting) if (lowest === undefined || offset < lowest) lowest = offset;
    return lowest;
  }

  get #windowBytes(): number {
    return this.#options.windowBytes ?? WINDOW_BYTES;
  }

  async #open(): Promise<Running> {
    const answer = await this.#options.open(this.#ended.signal);
    try {
      const stream = await this.#inTime(answer, () => readVmdkStream(answer, this.#options.name));
      if (stream.sizeBytes !== this.sizeBytes)
        throw new CausewayError(
          'source.image-unreadable',
          `${this.#options.name}: the export has a disk of ${stream.sizeBytes} bytes instead of ${this.sizeBytes}`,
        );
      return { answer, grains: stream.grains() };
    } catch (error) {
      answer.destroy();
      throw error;
    }
  }

  /** Only while the stream is waited for does silence count: one that nobody reads may pause for hours. */
  async #inTime<T>(answer: IncomingMessage, next: () => Promise<T>): Promise<T> {
    const limit = this.#options.inactivityMs ?? INACTIVITY_MS;
    const callOff = this.#clock.after(limit, () => answer.destroy(new Error(`no data for ${limit} ms`)));
    try {
      return await next();
    } catch (error) {
      // A stream that broke off ends too early for its reader; why it broke is the connection's to say.
      if (answer.errored !== null || !answer.complete) throw linkFailure(this.#options.name, answer.errored ?? error);
      throw error;
    } finally {
      callOff();
    }
  }

  /** After a loss the stream starts over, unless it would not help or was tried often enough. */
  async #lost(error: unknown): Promise<void> {
    this.#startOver();
    if (this.#ended.signal.aborted) return;
    this.#failures += 1;
    const backOff = this.#options.backOff ?? BACK_OFF;
    if (!(error instanceof CausewayError) || !error.retryable || this.#failures >= backOff.attempts) {
      this.#failures = 0;
      for (const { fail } of this.#waiting) fail(error);
      this.#waiting.clear();
      return;
    }
    this.#options.onRestart?.(this.#lowestWanted() ?? 0, error.message);
    await this.#clock.sleep(backOffMs(backOff, this.#failures), this.#ended.signal).catch(() => undefined);
  }

  #startOver(): void {
    this.#stop();
    this.#drop(0);
    this.#position = 0;
  }

  #stop(): void {
    this.#running?.answer.destroy();
    this.#running = undefined;
  }
}
