import {
  appendBlock,
  appendRange,
  BLOCK_BYTES,
  blockCount,
  bytesOf,
  SEGMENT_BLOCKS,
  SEGMENT_BYTES,
  type BlockRun,
  type ByteRange,
} from './blocks.ts';
import type { BlockState } from './block-state.ts';
import type { Piece } from './extents.ts';

/** What is to be done with one segment of the disk (64 MiB). Segments with nothing to do have no plan. */
export interface SegmentPlan {
  readonly segment: number;
  /** Blocks to read, compare and, where they differ, send. */
  readonly read: readonly BlockRun[];
  /** Blocks that read as zeros on the source and are not known to do so on the volume. */
  readonly zero: readonly BlockRun[];
  /** Changed bytes. A block of `read` that is not covered by them is sent whole. Ascending, merged. */
  readonly changed: readonly ByteRange[];
  /** Blocks of `read` of which only the changed bytes may differ from what the volume holds. */
  readonly partial: ReadonlySet<number>;
}

/** What the planner has to know about the destination. */
export interface DestinationFacts {
  readonly sizeBytes: number;
  /** Everything below is done for this snapshot, but for pending blocks. */
  readonly cursorBytes: number;
  blockState(block: number): BlockState;
  segmentIsZero(segment: number): boolean;
  segmentHasPending(segment: number): boolean;
  /** Written since the base: what the volume holds is newer, whatever the source reports. */
  isWrittenSinceBase(block: number): boolean;
  segmentIsWrittenSinceBase(segment: number): boolean;
}

export interface PlanTotals {
  /** Bytes that the source reports as zero, and that the volume is known to hold as zeros already. */
  zeroBytesSkipped: number;
}

const DATA = 1;
const ZERO = 2;
const UNCHANGED = 4;

/**
 * Turns the pieces of a disk into what is to be done, segment by segment, ascending. Knows nothing of I/O: memory is
 * one segment's, and a segment that is uniform (a hole on a new volume, nothing changed) costs no look at its blocks.
 */
export async function* planSegments(
  pieces: AsyncIterable<Piece>,
  facts: DestinationFacts,
  totals: PlanTotals = { zeroBytesSkipped: 0 },
): AsyncGenerator<SegmentPlan> {
  let gathered: Piece[] = [];
  for await (const piece of pieces) {
    const end = piece.offset + piece.length;
    for (let at = piece.offset; at < end;) {
      const segment = Math.floor(at / SEGMENT_BYTES);
      const stop = Math.min(end, (segment + 1) * SEGMENT_BYTES, facts.sizeBytes);
      gathered.push({ offset: at, length: stop - at, kind: piece.kind });
      at = stop;
      if (stop === (segment + 1) * SEGMENT_BYTES || stop === facts.sizeBytes) {
        const plan = planSegment(segment, gathered, facts, totals);
        if (plan !== undefined) yield plan;
        gathered = [];
      }
    }
  }
}

function planSegment(
  segment: number,
  pieces: readonly Piece[],
  facts: DestinationFacts,
  totals: PlanTotals,
): SegmentPlan | undefined {
  const start = segment * SEGMENT_BYTES;
  const done = start < facts.cursorBytes;
  const pending = facts.segmentHasPending(segment);
  if (done && !pending) return undefined;
  if (pieces.length === 1 && !pending) {
    const only = pieces[0]!;
    if (only.kind === 'unchanged' && !facts.segmentIsWrittenSinceBase(segment)) return undefined;
    if (only.kind === 'zero' && facts.segmentIsZero(segment)) {
      totals.zeroBytesSkipped += only.length;
      return undefined;
    }
  }
  const seen = classify(pieces, start);
  const plan = {
    segment,
    read: [] as BlockRun[],
    zero: [] as BlockRun[],
    changed: changedBytes(pieces),
    partial: new Set<number>(),
  };
  const first = segment * SEGMENT_BLOCKS;
  const end = Math.min(first + SEGMENT_BLOCKS, blockCount(facts.sizeBytes));
  for (let block = first; block < end; block++) {
    const kinds = seen[block - first]!;
    const isUnknown = pending && facts.blockState(block) === 'unknown';
    if (done && !isUnknown) continue;
    if (kinds === ZERO) {
      if (facts.blockState(block) === 'zero')
        totals.zeroBytesSkipped += bytesOf({ first: block, count: 1 }, facts.sizeBytes).length;
      else appendBlock(plan.zero, block);
    } else if (isUnknown || facts.isWrittenSinceBase(block)) {
      appendBlock(plan.read, block);
      if (isUnknown && (kinds & UNCHANGED) !== 0) plan.partial.add(block);
    } else if (kinds !== UNCHANGED) {
      appendBlock(plan.read, block);
      if ((kinds & UNCHANGED) !== 0) plan.partial.add(block);
    }
  }
  return plan.read.length === 0 && plan.zero.length === 0 ? undefined : plan;
}

/** For each block of the segment, which kinds of pieces lie in it. */
function classify(pieces: readonly Piece[], start: number): Uint8Array {
  const seen = new Uint8Array(SEGMENT_BLOCKS);
  for (const { offset, length, kind } of pieces) {
    const flag = kind === 'data' ? DATA : kind === 'zero' ? ZERO : UNCHANGED;
    const from = Math.floor((offset - start) / BLOCK_BYTES);
    const to = Math.ceil((offset + length - start) / BLOCK_BYTES);
    for (let index = from; index < to; index++) seen[index]! |= flag;
  }
  return seen;
}

function changedBytes(pieces: readonly Piece[]): readonly ByteRange[] {
  if (pieces.every((piece) => piece.kind !== 'unchanged')) return [];
  const ranges: { offset: number; length: number }[] = [];
  for (const { offset, length, kind } of pieces) if (kind !== 'unchanged') appendRange(ranges, offset, length);
  return ranges;
}
