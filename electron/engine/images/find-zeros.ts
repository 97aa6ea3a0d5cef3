import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { Extent } from '../../../shared/model/extent.ts';
import type { Run } from './layer.ts';

/** Each disk that is planned has one: with many in parallel, larger ones are what an engine has most memory in. */
const WINDOW = 1024 * 1024;
/** Zeros are found in blocks of this size: smaller ones cost more extents than they save. */
const BLOCK = 64 * 1024;
const zeros = Buffer.alloc(BLOCK);

/**
 * Tells data and zeros of a file with holes by reading it: a hole can't be asked for here, but reads as fast as memory.
 * @throws CausewayError general.cancelled, source.read-failed
 */
export async function* findZeros(run: Run & { readonly kind: 'stored' }, signal: AbortSignal): AsyncIterable<Pick<Extent, 'length' | 'kind'>> {
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
