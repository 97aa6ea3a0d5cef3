import { BlockSet } from './block-set.ts';
import { BLOCK_BYTES, bytesOf, SEGMENT_BYTES, type BlockRun } from './blocks.ts';
import { PendingDigests } from './pending-digests.ts';
import type { SegmentPlan } from './plan.ts';

/** A batch grows to one full segment's work, or to this many segments where little changed in each. */
const BATCH_BYTES = SEGMENT_BYTES;
const BATCH_SEGMENTS = 64;

/** The unit of work: at most a buffer's worth of neighbouring blocks, or a run to be zeroed. */
export interface Chunk {
  readonly kind: 'copy' | 'zero';
  readonly run: BlockRun;
  readonly length: number;
  readonly plan: SegmentPlan;
  readonly batch: Batch;
}

/**
 * The unit of durability: segments whose intents are recorded together before the first of their blocks is sent, and
 * which are settled together after a flush.
 */
export class Batch {
  readonly plans: readonly SegmentPlan[];
  readonly bytes: number;
  readonly digests = new PendingDigests();
  /** Blocks that were sent or zeroed. */
  readonly written = new BlockSet();
  /** Chunks that are not done, one more while some were not handed out yet. */
  #open = 1;
  intended = false;

  constructor(plans: readonly SegmentPlan[], bytes: number) {
    this.plans = plans;
    this.bytes = bytes;
  }

  get isDone(): boolean {
    return this.#open === 0;
  }

  /** The offset below which an earlier batch has to be looked for. */
  get startBytes(): number {
    return this.plans[0]!.segment * SEGMENT_BYTES;
  }

  /** All blocks that this batch may write. */
  candidates(): BlockSet {
    const blocks = new BlockSet();
    for (const plan of this.plans) for (const run of [...plan.read, ...plan.zero]) blocks.addRun(run);
    return blocks;
  }

  handOut(): void {
    this.#open += 1;
  }

  finish(): void {
    this.#open -= 1;
  }
}

/** The bytes that a plan makes us look at; what progress counts. */
export function plannedBytes(plan: SegmentPlan, sizeBytes: number): number {
  let sum = 0;
  for (const run of plan.read) sum += bytesOf(run, sizeBytes).length;
  for (const run of plan.zero) sum += bytesOf(run, sizeBytes).length;
  return sum;
}

/** Groups plans into batches. */
export async function* batches(plans: AsyncIterable<SegmentPlan>, sizeBytes: number): AsyncGenerator<Batch> {
  let gathered: SegmentPlan[] = [];
  let bytes = 0;
  for await (const plan of plans) {
    gathered.push(plan);
    bytes += plannedBytes(plan, sizeBytes);
    if (bytes >= BATCH_BYTES || gathered.length >= BATCH_SEGMENTS) {
      yield new Batch(gathered, bytes);
      gathered = [];
      bytes = 0;
    }
  }
  if (gathered.length > 0) yield new Batch(gathered, bytes);
}

/** Cuts a batch's plans into chunks, ascending within each segment. `chunkBytes` is called for each. */
export function* chunksOf(batch: Batch, chunkBytes: () => number, sizeBytes: number): Generator<Chunk> {
  for (const plan of batch.plans) {
    for (const run of plan.zero) yield { kind: 'zero', run, length: bytesOf(run, sizeBytes).length, plan, batch };
    for (const run of plan.read) {
      for (let at = 0; at < run.count;) {
        const count = Math.min(Math.max(1, Math.floor(chunkBytes() / BLOCK_BYTES)), run.count - at);
        const part = { first: run.first + at, count };
        at += count;
        yield { kind: 'copy', run: part, length: bytesOf(part, sizeBytes).length, plan, batch };
      }
    }
  }
}
