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

/** Adds an extent at the end of a list, joined with its neighbour when they touch and are of one kind. */
export function appendExtent(extents: Extent[], next: Extent): void {
  const last = extents.at(-1);
  if (last !== undefined && last.kind === next.kind && last.offset + last.length === next.offset) {
    extents[extents.length - 1] = { ...last, length: last.length + next.length };
  } else extents.push(next);
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
