import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { Extent } from '../../../shared/model/extent.ts';
import type { Run } from './layer.ts';
import type { ByteRange } from './stored-ranges.ts';

/** Each disk that is planned has one: with many in parallel, larger ones are what an engine has most memory in. */
const WINDOW = 1024 * 1024;
/** Zeros are found in blocks of this size: smaller ones cost more extents than they save. */
const BLOCK = 64 * 1024;
const SECTOR = 512;
const zeros = Buffer.alloc(BLOCK);

type Piece = Pick<Extent, 'length' | 'kind'>;
type StoredRun = Run & { readonly kind: 'stored' };

/**
 * Tells data and zeros of a file whose format knows nothing of zeros: by its holes where the system tells of them, by reading it where it is mostly
 * holes, which read as fast as memory; else all of it is data.
 * @throws CausewayError general.cancelled, source.read-failed
 */
export async function* findZeros(run: StoredRun, signal: AbortSignal): AsyncIterable<Piece> {
  const ranges = await run.file.storedRanges?.(signal).catch(() => {
    throw new CausewayError('general.cancelled', 'reading an image was cancelled');
  });
  if (ranges !== undefined) yield* betweenHoles(run, ranges);
  else if (run.file.isSparse) yield* byReading(run, signal);
  else yield { length: run.length, kind: 'data' };
}

/** Holes end at whole sectors of the disk. */
function* betweenHoles({ at, length }: StoredRun, ranges: readonly ByteRange[]): Iterable<Piece> {
  let done = 0;
  for (let index = firstBehind(ranges, at); index < ranges.length; index++) {
    const [start, end] = ranges[index]!;
    if (start >= at + length) break;
    const from = Math.max(done, Math.floor((start - at) / SECTOR) * SECTOR);
    const to = Math.min(length, Math.ceil((end - at) / SECTOR) * SECTOR);
    if (to <= from) continue;
    if (from > done) yield { length: from - done, kind: 'zero' };
    yield { length: to - from, kind: 'data' };
    done = to;
  }
  if (done < length) yield { length: length - done, kind: 'zero' };
}

/** Index of the first range that ends behind `at`. */
function firstBehind(ranges: readonly ByteRange[], at: number): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[middle]![1] > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

async function* byReading(run: StoredRun, signal: AbortSignal): AsyncIterable<Piece> {
  const window = Buffer.allocUnsafe(Math.min(WINDOW, run.length));
  for (let at = 0; at < run.length; at += window.length) {
    if (signal.aborted) throw new CausewayError('general.cancelled', 'reading an image was cancelled');
    const part = window.subarray(0, Math.min(window.length, run.length - at));
    await run.file.read(run.at + at, part);
    for (let from = 0; from < part.length; from += BLOCK) {
      const block = part.subarray(from, from + BLOCK);
      yield { length: block.length, kind: block.compare(zeros, 0, block.length) === 0 ? 'zero' : 'data' };
    }
  }
}
