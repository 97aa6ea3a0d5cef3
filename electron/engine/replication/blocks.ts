/**
 * The unit of knowledge: what the destination holds is known, compared and verified by blocks of this many bytes.
 * 64 KiB keeps the map at 1/4096 of the disk and is the granularity of change tracking of most hypervisors.
 */
export const BLOCK_BYTES = 64 * 1024;

/** The unit of durability: intents and map pages cover this many blocks (64 MiB). */
export const SEGMENT_BLOCKS = 1024;
export const SEGMENT_BYTES = SEGMENT_BLOCKS * BLOCK_BYTES;

/** `count` blocks from block `first` of the disk. */
export interface BlockRun {
  readonly first: number;
  readonly count: number;
}

/** A run of bytes of a disk. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

export const blockCount = (sizeBytes: number): number => Math.ceil(sizeBytes / BLOCK_BYTES);
export const segmentCount = (sizeBytes: number): number => Math.ceil(sizeBytes / SEGMENT_BYTES);
export const segmentOf = (block: number): number => Math.floor(block / SEGMENT_BLOCKS);

/** The bytes of a run; the last block of a disk may be short. */
export function bytesOf(run: BlockRun, sizeBytes: number): ByteRange {
  const offset = run.first * BLOCK_BYTES;
  return { offset, length: Math.min((run.first + run.count) * BLOCK_BYTES, sizeBytes) - offset };
}

/** Adds a block to runs that are built in ascending order. */
export function appendBlock(runs: { first: number; count: number }[], block: number): void {
  const last = runs.at(-1);
  if (last !== undefined && last.first + last.count === block) last.count += 1;
  else runs.push({ first: block, count: 1 });
}

/** Adds a range to ranges that are built in ascending order, merging it with a neighbour. */
export function appendRange(ranges: { offset: number; length: number }[], offset: number, length: number): void {
  const last = ranges.at(-1);
  if (last !== undefined && last.offset + last.length === offset) last.length += length;
  else ranges.push({ offset, length });
}
