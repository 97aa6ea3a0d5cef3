import type { Extent } from '../../../../../shared/model/extent.ts';
import { BLOCK_BYTES, MAX_BLOCKS, blockRuns } from './protocol.ts';

/**
 * The whole disk in order, by the host's map of its blocks.
 *
 * @param ask for the map of so many blocks from a byte on; undefined from a host that cannot tell, where everything may hold data
 */
export async function* allocatedExtents(
  sizeBytes: number,
  fromBytes: number,
  ask: (startByte: number, blocks: number) => Promise<Buffer | undefined>,
): AsyncGenerator<Extent, void, undefined> {
  const whole = Math.floor(sizeBytes / BLOCK_BYTES);
  let run: Extent | undefined;
  let knows = true;
  for (let block = Math.floor(fromBytes / BLOCK_BYTES); block < whole;) {
    const count = Math.min(MAX_BLOCKS, whole - block);
    const bitmap: Buffer | undefined = knows ? await ask(block * BLOCK_BYTES, count) : undefined;
    knows = bitmap !== undefined;
    for (const [first, length, isData] of bitmap === undefined
      ? [[0, count, true] as const]
      : blockRuns(bitmap, count)) {
      const next: Extent = {
        offset: (block + first) * BLOCK_BYTES,
        length: length * BLOCK_BYTES,
        kind: isData ? 'data' : 'zero',
      };
      if (run?.kind === next.kind) {
        run = { ...run, length: run.length + next.length };
      } else {
        if (run !== undefined) yield* from(run, fromBytes);
        run = next;
      }
    }
    block += count;
  }
  // What is shorter than a block can't be asked after.
  const tail = whole * BLOCK_BYTES;
  if (tail < sizeBytes && fromBytes < sizeBytes) {
    if (run?.kind === 'data') run = { ...run, length: run.length + sizeBytes - tail };
    else {
      if (run !== undefined) yield* from(run, fromBytes);
      run = { offset: tail, length: sizeBytes - tail, kind: 'data' };
    }
  }
  if (run !== undefined) yield* from(run, fromBytes);
}

function* from(run: Extent, fromBytes: number): Generator<Extent, void, undefined> {
  const end = run.offset + run.length;
  if (end > fromBytes) yield run.offset >= fromBytes ? run : { ...run, offset: fromBytes, length: end - fromBytes };
}
