import type { WriteTarget } from '../ports/write-target.ts';
import { BlockSet } from './block-set.ts';
import { SEGMENT_BYTES } from './blocks.ts';
import type { Batch } from './chunks.ts';
import type { TransferState } from './transfer-state.ts';

/** A checkpoint is due after this much work. With `MAX_UNSETTLED_BYTES` more, copying waits for it. */
const DUE_BYTES = 256 * 1024 * 1024;
const MAX_UNSETTLED_BYTES = 4 * DUE_BYTES;
/** A batch costs bytes even when little changed in each of its segments. */
const DUE_BATCHES = 16;
const MAX_UNSETTLED_BATCHES = 64;

/**
 * Makes progress durable: flush the volume, write the digests, forget the intents, move the cursor. One checkpoint at
 * a time; copying continues meanwhile.
 */
export class Checkpointer {
  readonly #state: TransferState;
  readonly #writer: WriteTarget;
  readonly #signal: AbortSignal;
  /** In the order of the disk; the first that is not done bounds the cursor. */
  #unsettled: Batch[] = [];
  #unsettledBytes = 0;
  #cursorBytes: number;
  /** Where the last batch that is done ends. */
  #endBytes: number;
  #unflushed = false;
  #running: Promise<void> | undefined;

  constructor(state: TransferState, writer: WriteTarget, startBytes: number, signal: AbortSignal) {
    this.#state = state;
    this.#writer = writer;
    this.#signal = signal;
    this.#cursorBytes = startBytes;
    this.#endBytes = startBytes;
  }

  /** A batch whose chunks will be handed out now. Waits while too much is not durable. */
  async admit(batch: Batch): Promise<void> {
    while (this.#unsettledBytes > MAX_UNSETTLED_BYTES || this.#unsettled.length > MAX_UNSETTLED_BATCHES) {
      // Only batches that are done can be settled; while the others are being copied there is something to wait for.
      if (!this.#unsettled.some((other) => other.isDone)) break;
      await this.run();
    }
    this.#unsettled.push(batch);
    this.#unsettledBytes += batch.bytes;
  }

  /** Something was written since the last flush. */
  wrote(): void {
    this.#unflushed = true;
  }

  /** Whether work enough was done for a checkpoint. */
  isDue(): boolean {
    if (this.#running !== undefined) return false;
    let bytes = 0;
    let batches = 0;
    for (const batch of this.#unsettled) {
      if (!batch.isDone) continue;
      bytes += batch.bytes;
      batches += 1;
    }
    return bytes >= DUE_BYTES || batches >= DUE_BATCHES;
  }

  /** One checkpoint of all that is done by now; joins the one that runs. */
  run(signal: AbortSignal = this.#signal): Promise<void> {
    this.#running ??= this.#checkpoint(signal).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Checkpoints until nothing that is done is left. */
  async drain(signal: AbortSignal = this.#signal): Promise<void> {
    await this.#running;
    do await this.run(signal);
    while (this.#unsettled.some((batch) => batch.isDone));
  }

  async #checkpoint(signal: AbortSignal): Promise<void> {
    const done = this.#unsettled.filter((batch) => batch.isDone);
    const mustFlush = this.#unflushed || done.some((batch) => !batch.digests.isEmpty);
    this.#unflushed = false;
    if (mustFlush) {
      try {
        await this.#writer.flush(signal);
      } catch (error) {
        this.#unflushed = true;
        throw error;
      }
    }
    if (done.length === 0) return;
    const settled: number[] = [];
    const written = new BlockSet();
    for (const batch of done) {
      for (const { segment } of batch.plans) {
        const pending = this.#state.pendingIn(segment);
        if (batch.intended || pending !== undefined) settled.push(segment);
        written.addBitmap(segment, batch.written.bitmap(segment));
        // Blocks that an earlier, interrupted execution was sending may have been written too.
        written.addBitmap(segment, pending);
      }
    }
    const open = this.#unsettled.filter((batch) => !done.includes(batch));
    const last = done.at(-1)!.plans.at(-1)!.segment;
    this.#endBytes = Math.max(this.#endBytes, Math.min((last + 1) * SEGMENT_BYTES, this.#state.sizeBytes));
    // Below the cursor nothing is open; it never goes back, as what is repaired below it stays pending until then.
    this.#cursorBytes = Math.max(this.#cursorBytes, Math.min(open[0]?.startBytes ?? this.#endBytes, this.#endBytes));
    await this.#state.settle(
      done.filter((batch) => !batch.digests.isEmpty).map((batch) => batch.digests),
      { settled, written, cursorBytes: this.#cursorBytes },
    );
    this.#unsettled = this.#unsettled.filter((batch) => !done.includes(batch));
    this.#unsettledBytes -= done.reduce((sum, batch) => sum + batch.bytes, 0);
  }
}
