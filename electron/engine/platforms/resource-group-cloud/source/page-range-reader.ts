import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import { extentsFrom, type Extent } from '../../../../../shared/model/extent.ts';
import type { Clock } from '../../../time/clock.ts';
import { isStatus } from '../../../http/http-error.ts';
import { appendExtent } from '../../../nbd/status-extents.ts';
import { refuseOutside, type DiskReader } from '../../../ports/disk-reader.ts';
import { isExpired } from '../client/disk-access.ts';
import { readBytes, type PageAccess } from '../client/page-access.ts';
import { ReadAhead } from './read-ahead.ts';

const pageBytes = 512;
/** How much of a disk one list covers at most. */
const windowBytes = 4 * 2 ** 30;
/** The service lists no more ranges than this in one answer. */
const mostRanges = 10_000;
/** How many requests for the bytes of a disk are under way at most. */
const mostReads = 16;

/** Requests of the readers of one execution. */
export interface ReadCount {
  lists: number;
  reads: number;
  bytes: number;
}

/** US dollars for 10^9 bytes that leave the cloud over the internet: the list price of the first tier in North America and Europe. */
const egressPricePerGb = 0.087;

/** What reading took; undefined when nothing was read directly. The requests themselves are not charged for managed disks, the data that leaves is. */
export function readingCost({
  lists,
  reads,
  bytes,
}: ReadCount): { readonly text: string; readonly details: JsonObject } | undefined {
  if (lists === 0) return undefined;
  const requests = lists + reads;
  const perGib = bytes === 0 ? undefined : Math.round(requests / (bytes / 2 ** 30));
  const usd = (bytes / 1e9) * egressPricePerGb;
  return {
    text:
      `Snapshots were read directly: ${requests} requests${perGib === undefined ? '' : ` (${perGib} per GiB read)`}, ${lists} of them lists of pages; ` +
      `the data costs about USD ${usd.toFixed(usd < 0.01 ? 6 : 2)} if it leaves Azure over the internet, at the list price of ${egressPricePerGb} per GB`,
    details: { requests, lists, requestsPerGib: perGib ?? null, bytes, usd: Number(usd.toFixed(9)) },
  };
}

interface Range {
  readonly offset: number;
  readonly length: number;
  readonly kind: Extent['kind'];
}

/**
 * A disk of a snapshot, read by its signed address: pages in use, or those that differ from an earlier snapshot of the same disk. Whoever
 * opens it gets no address yet: the first list or read asks for one.
 */
export class PageRangeReader implements DiskReader {
  readonly sizeBytes: number;
  readonly coverage: 'allocated' | 'changed';
  readonly granularityBytes = pageBytes;
  readonly #own: PageAccess;
  readonly #bytes: PageAccess;
  readonly #base: PageAccess | undefined;
  readonly #label: string;
  readonly #release: () => Promise<void>;
  readonly #count: ReadCount;
  readonly #ahead: ReadAhead;
  readonly #waiting: (() => void)[] = [];
  #reading = 0;
  #closing: Promise<void> | undefined;

  /**
   * @param base of the same disk in an earlier snapshot, to list what changed since
   * @param release gives the addresses back
   * @param bytes where bytes are read, if not where pages are listed
   */
  constructor(
    own: PageAccess,
    base: PageAccess | undefined,
    sizeBytes: number,
    label: string,
    release: () => Promise<void>,
    count: ReadCount,
    clock: Pick<Clock, 'monotonic'>,
    bytes = own,
  ) {
    this.#own = own;
    this.#bytes = bytes;
    this.#base = base;
    this.sizeBytes = sizeBytes;
    this.coverage = base === undefined ? 'allocated' : 'changed';
    this.#label = label;
    this.#release = release;
    this.#count = count;
    this.#ahead = new ReadAhead((offset, into, signal) => this.#fetch(offset, into, signal), clock);
  }

  /** Learns whether the disk can be read at all. */
  async probe(signal: AbortSignal): Promise<void> {
    await this.#list(0, pageBytes, signal);
  }

  /** Why the service does not compare the two snapshots, in its words; undefined: it does. */
  async whyNotComparable(signal: AbortSignal): Promise<string | undefined> {
    try {
      await this.#list(0, pageBytes, signal);
      return undefined;
    } catch (error) {
      if (isStatus(error, 400, 404, 409, 412, 416, 501) && error instanceof Error) return error.message;
      throw error;
    }
  }

  extents(signal: AbortSignal, fromBytes = 0): AsyncIterable<Extent> {
    return extentsFrom(this.#known(this.#extents(signal, Math.floor(fromBytes / pageBytes) * pageBytes)), fromBytes);
  }

  /** Whoever lists the disk reads what it yields, in larger pieces where that is one run. */
  async *#known(extents: AsyncIterable<Extent>): AsyncIterable<Extent> {
    for await (const extent of extents) {
      if (extent.kind === 'data') this.#ahead.know(extent.offset, extent.length);
      yield extent;
    }
  }

  async *#extents(signal: AbortSignal, first: number): AsyncIterable<Extent> {
    const held: Extent[] = [];
    let at = first;
    const add = (extent: Extent): Extent | undefined => {
      appendExtent(held, extent);
      return held.length > 1 ? held.shift() : undefined;
    };
    for (let window = first; window < this.sizeBytes; window += windowBytes) {
      for await (const range of this.#ranges(window, Math.min(windowBytes, this.sizeBytes - window), signal)) {
        const end = Math.min(range.offset + range.length, this.sizeBytes);
        const offset = Math.max(at, range.offset);
        if (end <= offset) continue;
        const hole =
          this.coverage === 'allocated' && offset > at
            ? add({ offset: at, length: offset - at, kind: 'zero' })
            : undefined;
        if (hole !== undefined) yield hole;
        const done = add({ offset, length: end - offset, kind: range.kind });
        if (done !== undefined) yield done;
        at = end;
      }
    }
    const rest =
      this.coverage === 'allocated' && at < this.sizeBytes
        ? add({ offset: at, length: this.sizeBytes - at, kind: 'zero' })
        : undefined;
    if (rest !== undefined) yield rest;
    yield* held;
  }

  /** Ranges of a part of the disk in their order. An answer that is cut short is asked for again in two halves. */
  async *#ranges(offset: number, length: number, signal: AbortSignal): AsyncGenerator<Range, void, undefined> {
    signal.throwIfAborted();
    const { ranges, isCut } = await this.#list(offset, length, signal);
    if (!isCut) {
      yield* ranges;
      return;
    }
    const half = Math.ceil(length / 2 / pageBytes) * pageBytes;
    if (half >= length)
      throw new CausewayError('cloud.unexpected-answer', `${this.#label}: the list of pages does not end`);
    yield* this.#ranges(offset, half, signal);
    yield* this.#ranges(offset + half, length - half, signal);
  }

  async #list(
    offset: number,
    length: number,
    signal: AbortSignal,
  ): Promise<{ readonly ranges: readonly Range[]; readonly isCut: boolean }> {
    const [own, base] = [this.#own, this.#base];
    const operation = base === undefined ? `list the pages of ${this.#label}` : `list what changed in ${this.#label}`;
    this.#count.lists += 1;
    const answer = await this.#withBase(
      base,
      (former) =>
        // The library changes the options that it is given.
        own.use(
          operation,
          (pages, options) =>
            former === undefined
              ? pages.getPageRanges(offset, length, { ...options })
              : own.changes(pages, offset, length, former, { ...options }),
          signal,
        ),
      signal,
    );
    const data = (answer.pageRange ?? []).map((range): Range => ({ ...inPages(range), kind: 'data' }));
    const cleared = (answer.clearRange ?? []).map((range): Range => ({ ...inPages(range), kind: 'zero' }));
    const marker = (answer as { readonly continuationToken?: string }).continuationToken;
    const isCut = (marker !== undefined && marker !== '') || data.length + cleared.length >= mostRanges;
    return { ranges: inOrder(data, base === undefined ? [] : cleared), isCut };
  }

  /** A refusal leaves open which of the two addresses has expired: both are renewed. */
  async #withBase<T>(
    base: PageAccess | undefined,
    work: (url: string | undefined) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    if (base === undefined) return work(undefined);
    const url = await base.name(signal);
    try {
      return await work(url);
    } catch (error) {
      if (!isExpired(error)) throw error;
      await base.refused(url, signal);
      return work(await base.name(signal));
    }
  }

  async read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    refuseOutside(this, offset, into.length);
    if (into.length === 0) return;
    try {
      await this.#ahead.read(offset, into, signal);
    } catch (error) {
      throw signal.aborted ? this.#cancelled() : error;
    }
  }

  /** One part of the disk, by a request of its own. */
  async #fetch(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    await this.#turn(signal);
    this.#count.reads += Math.ceil(into.length / readBytes);
    this.#count.bytes += into.length;
    try {
      await this.#bytes.read(`read ${this.#label}`, offset, into, signal);
    } catch (error) {
      if (signal.aborted) throw this.#cancelled();
      if (isStatus(error, 404))
        throw new CausewayError('source.snapshot-lost', `${this.#label} no longer exists in the cloud`, {
          cause: error,
        });
      throw error;
    } finally {
      this.#reading -= 1;
      this.#waiting.shift()?.();
    }
  }

  #cancelled(): CausewayError {
    return new CausewayError('general.cancelled', `reading of ${this.#label} was cancelled`);
  }

  /** Waits until few enough reads are under way: each has a connection of its own, and its deadline begins when it is sent. */
  async #turn(signal: AbortSignal): Promise<void> {
    while (this.#reading >= mostReads) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#reading += 1;
    if (!signal.aborted) return;
    this.#reading -= 1;
    this.#waiting.shift()?.();
    throw this.#cancelled();
  }

  close(): Promise<void> {
    this.#ahead.close();
    this.#closing ??= this.#release();
    return this.#closing;
  }
}

/** Both lists in one order. Where they overlap, there is data: reading it does no harm, and skipping it would. */
export function inOrder(data: readonly Range[], cleared: readonly Range[]): readonly Range[] {
  const sorted = data.toSorted((one, other) => one.offset - other.offset);
  let next = 0;
  const holes = cleared
    .toSorted((one, other) => one.offset - other.offset)
    .flatMap((range): Range[] => {
      const parts: Range[] = [];
      const end = range.offset + range.length;
      let at = range.offset;
      while (next < sorted.length && endOf(sorted[next]) <= at) next += 1;
      for (let index = next; index < sorted.length && at < end; index += 1) {
        const { offset = end } = sorted[index] ?? {};
        if (offset >= end) break;
        if (offset > at) parts.push({ offset: at, length: offset - at, kind: 'zero' });
        at = Math.max(at, endOf(sorted[index]));
      }
      return at < end ? [...parts, { offset: at, length: end - at, kind: 'zero' }] : parts;
    });
  return [...sorted, ...holes].sort((one, other) => one.offset - other.offset);
}

const endOf = (range: Range | undefined): number => (range === undefined ? 0 : range.offset + range.length);

/**
 * The service names the first and the last byte of a range; the library gives their difference as the count, which is one less than
 * there are. Ranges are whole pages, so that rounding up is right for this library and for one that counts them all.
 */
function inPages({ offset, count = 0 }: { readonly offset: number; readonly count?: number }): {
  readonly offset: number;
  readonly length: number;
} {
  return { offset, length: Math.ceil(count / pageBytes) * pageBytes };
}
