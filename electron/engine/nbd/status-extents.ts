import type { Extent } from '../../../shared/model/extent.ts';
import type { StatusRun } from './pending-request.ts';
import { StatusFlag } from './protocol.ts';

/**
 * Merges the status runs of one range into extents. `allocation` (base:allocation) tells zeros from data; without it
 * all is data. With `dirty` (a dirty bitmap) only what is dirty counts: dirty and zero is `zero`, dirty and data is
 * `data`. Yields ascending extents within [offset, end), neighbours of one kind joined, and returns up to where both
 * contexts are known.
 */
export function mergeStatus(
  offset: number,
  end: number,
  allocation: readonly StatusRun[] | undefined,
  dirty: readonly StatusRun[] | undefined,
): { readonly extents: Extent[]; readonly covered: number } {
  const extents: Extent[] = [];
  const kinds = new RunCursor(allocation);
  const changes = new RunCursor(dirty);
  let at = offset;
  while (at < end && !kinds.done && !changes.done) {
    const length = Math.min(kinds.left, changes.left, end - at);
    const counts = dirty === undefined || (changes.flags & StatusFlag.dirty) !== 0;
    if (counts) {
      const kind = allocation !== undefined && (kinds.flags & StatusFlag.zero) !== 0 ? 'zero' : 'data';
      appendExtent(extents, { offset: at, length, kind });
    }
    at += length;
    kinds.advance(length);
    changes.advance(length);
  }
  return { extents, covered: at };
}

/** Runs of base:allocation that say zero only where both lists do. As long as the shorter of the two. */
export function zeroInBoth(one: readonly StatusRun[], other: readonly StatusRun[]): readonly StatusRun[] {
  const runs: StatusRun[] = [];
  const first = new RunCursor(one);
  const second = new RunCursor(other);
  while (!first.done && !second.done) {
    const length = Math.min(first.left, second.left);
    runs.push({ length, flags: first.flags & second.flags & StatusFlag.zero });
    first.advance(length);
    second.advance(length);
  }
  return runs;
}

/** Adds an extent at the end of a list, joined with its neighbour when they touch and are of one kind. */
export function appendExtent(extents: Extent[], next: Extent): void {
  const last = extents.at(-1);
  if (last !== undefined && last.kind === next.kind && last.offset + last.length === next.offset) {
    extents[extents.length - 1] = { ...last, length: last.length + next.length };
  } else extents.push(next);
}

/**
 * Moves the borders of extents to whole units: data grows, zero shrinks, so that a unit with any data in it is data.
 * Servers tell the end of a file to the byte. The disk's size must be a multiple of the unit; the last extent grows to
 * it when it reaches `exported`, the size that the server knows.
 */
export async function* alignExtents(
  extents: AsyncIterable<Extent> | Iterable<Extent>,
  unit: number,
  exported: number,
): AsyncGenerator<Extent, void, undefined> {
  const down = (value: number) => value - (value % unit);
  const up = (value: number) => down(value + unit - 1);
  let held: Extent | undefined;
  let end = 0;
  // Joined first: a border between two runs of zeros within a sector is none.
  for await (const extent of joinExtents(extents)) {
    const isData = extent.kind === 'data';
    const last = extent.offset + extent.length;
    const start = Math.max(end, isData ? down(extent.offset) : up(extent.offset));
    const stop = isData || last === exported ? up(last) : down(last);
    if (stop <= start) continue;
    end = stop;
    const joined: Extent[] = held === undefined ? [] : [held];
    appendExtent(joined, { offset: start, length: stop - start, kind: extent.kind });
    held = joined.pop();
    yield* joined;
  }
  if (held !== undefined) yield held;
}

async function* joinExtents(
  extents: AsyncIterable<Extent> | Iterable<Extent>,
): AsyncGenerator<Extent, void, undefined> {
  let held: Extent | undefined;
  for await (const extent of extents) {
    const joined: Extent[] = held === undefined ? [] : [held];
    appendExtent(joined, extent);
    held = joined.pop();
    yield* joined;
  }
  if (held !== undefined) yield held;
}

/** Walks a list of runs; an absent list is one run without end. */
class RunCursor {
  readonly #runs: readonly StatusRun[] | undefined;
  #index = 0;
  #used = 0;

  constructor(runs: readonly StatusRun[] | undefined) {
    this.#runs = runs;
  }

  get done(): boolean {
    return this.#runs !== undefined && this.#index >= this.#runs.length;
  }

  get left(): number {
    return this.#runs === undefined ? Number.POSITIVE_INFINITY : (this.#runs[this.#index]?.length ?? 0) - this.#used;
  }

  get flags(): number {
    return this.#runs?.[this.#index]?.flags ?? 0;
  }

  advance(length: number): void {
    this.#used += length;
    if (this.left <= 0) {
      this.#index += 1;
      this.#used = 0;
    }
  }
}
