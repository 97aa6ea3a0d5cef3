import { SEGMENT_BLOCKS, segmentOf, type BlockRun } from './blocks.ts';

const BITMAP_BYTES = SEGMENT_BLOCKS / 8;

/** A sparse set of blocks: one bitmap of 128 bytes for each segment that has a member. */
export class BlockSet {
  readonly #segments = new Map<number, Uint8Array>();

  get isEmpty(): boolean {
    return this.#segments.size === 0;
  }

  /** How many members it has. */
  count(): number {
    let count = 0;
    for (const bitmap of this.#segments.values()) {
      for (let byte of bitmap) for (; byte !== 0; byte &= byte - 1) count += 1;
    }
    return count;
  }

  /** Segments with a member, ascending. */
  segments(): number[] {
    return [...this.#segments.keys()].sort((a, b) => a - b);
  }

  touches(segment: number): boolean {
    return this.#segments.has(segment);
  }

  has(block: number): boolean {
    const bitmap = this.#segments.get(segmentOf(block));
    if (bitmap === undefined) return false;
    const bit = block % SEGMENT_BLOCKS;
    return (bitmap[bit >> 3]! & (1 << (bit & 7))) !== 0;
  }

  add(block: number): void {
    const bitmap = this.#bitmap(segmentOf(block));
    const bit = block % SEGMENT_BLOCKS;
    bitmap[bit >> 3]! |= 1 << (bit & 7);
  }

  addRun(run: BlockRun): void {
    for (let block = run.first; block < run.first + run.count; block++) this.add(block);
  }

  /** Adds a stored bitmap. */
  addBitmap(segment: number, bits: Uint8Array | null | undefined): void {
    if (bits === null || bits === undefined) return;
    const bitmap = this.#bitmap(segment);
    for (let i = 0; i < BITMAP_BYTES; i++) bitmap[i]! |= bits[i] ?? 0;
  }

  /** The members in one segment, ascending. */
  membersOf(segment: number): number[] {
    const members: number[] = [];
    const first = segment * SEGMENT_BLOCKS;
    for (let block = first; block < first + SEGMENT_BLOCKS; block++) if (this.has(block)) members.push(block);
    return members;
  }

  bitmap(segment: number): Uint8Array | undefined {
    return this.#segments.get(segment);
  }

  dropSegment(segment: number): void {
    this.#segments.delete(segment);
  }

  #bitmap(segment: number): Uint8Array {
    let bitmap = this.#segments.get(segment);
    if (bitmap === undefined) this.#segments.set(segment, (bitmap = new Uint8Array(BITMAP_BYTES)));
    return bitmap;
  }
}
