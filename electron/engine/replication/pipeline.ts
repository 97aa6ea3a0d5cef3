import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { BandwidthLimiter } from '../bandwidth/index.ts';
import { systemClock, type Clock } from '../time/clock.ts';
import type { DiskReader } from '../ports/disk-reader.ts';
import type { WriteTarget } from '../ports/write-target.ts';
import { BusyTime } from './busy-time.ts';
import { digestThreadsFor, openBlockHasher } from './block-hasher.ts';
import { Checkpointer } from './checkpointer.ts';
import { ChunkPool } from './chunk-pool.ts';
import { ChunkSize } from './chunk-size.ts';
import { BLOCK_BYTES, SEGMENT_BYTES } from './blocks.ts';
import { batches, chunksOf, plannedBytes, type Chunk } from './chunks.ts';
import { copyChunk, zeroChunk, type CopyContext } from './copy-chunk.ts';
import { noCounts, type DiskOutcome } from './disk-outcome.ts';
import { coverDisk } from './extents.ts';
import { planSegments, type DestinationFacts, type PlanTotals, type SegmentPlan } from './plan.ts';
import { createProgressMeter, type DiskProgress } from './progress.ts';
import type { RunStart, TransferState } from './transfer-state.ts';

export interface ReplicateOptions {
  /** Chunks in flight, as long as there is memory for them. Default 32. */
  readonly concurrency?: number;
  /** Size of a chunk, a multiple of 64 KiB. Default: 1 MiB, up to 2 MiB where the way is fast. */
  readonly chunkBytes?: number;
  /** What chunks travel in. Default: as much of its own as the target has in flight, at least 16 MiB. */
  readonly pool?: ChunkPool;
  /** Threads that hash beside the engine's own, shared by all runs. Default: as many as pay for what is to be read. */
  readonly digestThreads?: number;
  /** The longest that acknowledged work stays without a flush. Default 5 s. */
  readonly checkpointSeconds?: number;
  readonly clock?: Clock;
}

export interface ReplicateRequest {
  readonly reader: DiskReader;
  readonly writer: WriteTarget;
  readonly state: TransferState;
  /** The snapshot that is read. The same id again: the run is resumed, and continues after what is durable. */
  readonly snapshotId: string;
  /**
   * The snapshot that the reader's changes count from; undefined when it was opened without one. A base that the volume
   * is not known to be in sync with is ignored: then everything is read and compared.
   */
  readonly baseSnapshotId: string | undefined;
  /** The destination volume. Another one than last time: nothing is known of it. */
  readonly volumeId: string;
  /** The volume was created for this disk and never written. Only used before the first run on it. */
  readonly volumeIsNew: boolean;
  /** The environment's `volumes_are_zeroed`: new volumes read as zeros. */
  readonly volumesAreZeroed: boolean;
  readonly limiter?: BandwidthLimiter | undefined;
  readonly onProgress?: ((progress: DiskProgress) => void) | undefined;
  readonly signal: AbortSignal;
  readonly options?: ReplicateOptions | undefined;
}

const DEFAULT_CONCURRENCY = 32;
const SMALLEST_CHUNK_BYTES = 1024 * 1024;
const LARGEST_CHUNK_BYTES = 2 * 1024 * 1024;
const SMALLEST_POOL_BYTES = 16 * 1024 * 1024;
const DEFAULT_CHECKPOINT_SECONDS = 5;
/** What a cancelled run may take to make durable what was acknowledged. */
const LAST_CHECKPOINT_MILLISECONDS = 10_000;

/**
 * Brings a volume to the state of a snapshot: plans what has to be looked at, reads it, sends what differs, and makes
 * it durable as it goes. When it rejects, all that was in flight has ended, and another call goes on from there.
 * @throws CausewayError of the source or the transport (the first one wins), `replication.*`, `general.cancelled`
 */
export function replicateDisk(request: ReplicateRequest): Promise<DiskOutcome> {
  return request.state.exclusively(() => run(request));
}

async function run(request: ReplicateRequest): Promise<DiskOutcome> {
  const { reader, writer, state } = request;
  const clock = request.options?.clock ?? systemClock;
  checkSizes(reader, writer, state);
  request.signal.throwIfAborted();
  const startedAt = clock.monotonic();
  const start = state.beginRun({ ...request, coverage: reader.coverage });
  const meter = createProgressMeter(state.diskId, request.onProgress ?? (() => {}), clock);
  const totals: PlanTotals = { zeroBytesSkipped: 0 };
  const facts = destinationFacts(state, start);
  const plans = (signal: AbortSignal, sums?: PlanTotals): AsyncGenerator<SegmentPlan> =>
    planSegments(coverDisk(reader, start.settledBytes, signal, firstUndoneByte(facts)), facts, sums);
  try {
    meter.enter('planning', 0);
    await state.distrustDamagedPages(request.signal);
    let bytesTotal = 0;
    for await (const plan of plans(request.signal, totals)) bytesTotal += plannedBytes(plan, state.sizeBytes);
    meter.enter('copying', bytesTotal);
    const counters = noCounts();
    const [reading, writing] = [new BusyTime(clock), new BusyTime(clock)];
    const hasher = openBlockHasher(request.options?.digestThreads ?? digestThreadsFor(bytesTotal));
    try {
      await transfer(request, start, (signal) => plans(signal), {
        counters,
        reading,
        writing,
        hasher,
        moved: (bytes) => meter.moved(bytes),
        sent: (bytes) => meter.sent(bytes),
        flushing: () => meter.enter('flushing'),
        clock,
      });
    } finally {
      hasher.close();
    }
    state.completeRun();
    meter.end('done');
    return {
      ...counters,
      bytesHoles: totals.zeroBytesSkipped,
      durationSeconds: (clock.monotonic() - startedAt) / 1000,
      sourceSeconds: reading.seconds,
      destinationSeconds: writing.seconds,
      resumed: start.resumed,
      resumedAtBytes: start.cursorBytes,
      readEverything: start.settledBytes === 0,
      bytesUnverifiedBefore: start.unverifiedBytes,
    };
  } catch (error) {
    throw request.signal.aborted ? cancellation(request.signal) : error;
  } finally {
    meter.end();
  }
}

interface TransferContext extends Pick<CopyContext, 'counters' | 'reading' | 'writing' | 'hasher' | 'sent'> {
  readonly moved: (bytes: number) => void;
  readonly flushing: () => void;
  readonly clock: Clock;
}

/** Copies chunks concurrently; what is in flight is bounded by the concurrency and the pool. */
async function transfer(
  request: ReplicateRequest,
  start: RunStart,
  plans: (signal: AbortSignal) => AsyncGenerator<SegmentPlan>,
  around: TransferContext,
): Promise<void> {
  const { reader, writer, state, limiter, options = {} } = request;
  const largestChunkBytes = options.chunkBytes ?? LARGEST_CHUNK_BYTES;
  const chunkSize = new ChunkSize(options.chunkBytes ?? SMALLEST_CHUNK_BYTES, largestChunkBytes);
  const pool =
    options.pool ?? new ChunkPool(() => Math.max(SMALLEST_POOL_BYTES, writer.bytesInFlight ?? 0), largestChunkBytes);
  const stop = new AbortController();
  const { signal } = stop;
  let failure: { readonly reason: unknown } | undefined;
  const fail = (reason: unknown): void => {
    failure ??= { reason };
    stop.abort(reason);
  };
  const onAbort = (): void => fail(cancellation(request.signal));
  request.signal.addEventListener('abort', onAbort, { once: true });

  const checkpointer = new Checkpointer(state, writer, start.cursorBytes, signal);
  const { counters, reading, writing, hasher, sent } = around;
  const context: CopyContext = {
    reader,
    writer,
    state,
    hasher,
    limiter,
    counters,
    reading,
    writing,
    sent,
    wrote: () => checkpointer.wrote(),
    signal,
  };
  let background: Promise<void> = Promise.resolve();
  const checkpoint = (): void => {
    background = checkpointer.run().catch(fail);
  };
  const interval = (options.checkpointSeconds ?? DEFAULT_CHECKPOINT_SECONDS) * 1000;
  let callOff = around.clock.after(interval, function tick() {
    checkpoint();
    callOff = around.clock.after(interval, tick);
  });

  async function* handOut(): AsyncGenerator<Chunk> {
    for await (const batch of batches(plans(signal), state.sizeBytes)) {
      await checkpointer.admit(batch);
      for (const chunk of chunksOf(batch, () => chunkSize.bytes, state.sizeBytes)) {
        batch.handOut();
        yield chunk;
      }
      batch.finish();
    }
  }
  const chunks = handOut();

  async function copy(chunk: Chunk): Promise<void> {
    const buffer = await pool.take(chunk.length, signal);
    const begun = around.clock.monotonic();
    try {
      await copyChunk(chunk, buffer, context);
    } finally {
      pool.give(buffer);
    }
    chunkSize.took(around.clock.monotonic() - begun, chunk.length);
  }

  async function copyChunks(): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const next = await chunks.next();
      if (next.done) return;
      const chunk = next.value;
      if (chunk.kind === 'zero') await zeroChunk(chunk, context);
      else await copy(chunk);
      around.counters.chunks += 1;
      around.moved(chunk.length);
      chunk.batch.finish();
      if (checkpointer.isDue()) checkpoint();
      // A source and a destination that answer immediately would otherwise starve timers and sockets.
      if (around.counters.chunks % 16 === 0) await yieldToEventLoop();
    }
  }

  try {
    await Promise.all(
      Array.from({ length: options.concurrency ?? DEFAULT_CONCURRENCY }, () => copyChunks().catch(fail)),
    );
    callOff();
    await background;
    if (failure === undefined) {
      around.flushing();
      await checkpointer.drain().catch(fail);
    } else if (isUserCancellation(request.signal)) {
      // Cancelled while both ends are alive: acknowledged data need not be sent again.
      await checkpointer.drain(AbortSignal.timeout(LAST_CHECKPOINT_MILLISECONDS)).catch(() => {});
    }
  } finally {
    callOff();
    request.signal.removeEventListener('abort', onAbort);
    await chunks.return(undefined).catch(() => {});
  }
  if (failure !== undefined) throw failure.reason;
}

/** Everything before it is done; the beginning of a segment, or the disk's end. */
function firstUndoneByte({ cursorBytes, sizeBytes, segmentHasPending }: DestinationFacts): number {
  let segment = 0;
  while (segment * SEGMENT_BYTES < Math.min(cursorBytes, sizeBytes) && !segmentHasPending(segment)) segment += 1;
  return Math.min(segment * SEGMENT_BYTES, sizeBytes);
}

function destinationFacts(state: TransferState, start: RunStart): DestinationFacts {
  return {
    sizeBytes: state.sizeBytes,
    cursorBytes: start.cursorBytes,
    blockState: (block) => state.blockState(block),
    segmentIsZero: (segment) => state.segmentIsZero(segment),
    segmentHasPending: (segment) => state.segmentHasPending(segment),
    isWrittenSinceBase: (block) => start.writtenSinceBase.has(block),
    segmentIsWrittenSinceBase: (segment) => start.writtenSinceBase.touches(segment),
  };
}

function checkSizes(reader: DiskReader, writer: WriteTarget, state: TransferState): void {
  const { alignmentBytes } = writer;
  if (!(alignmentBytes >= 1 && BLOCK_BYTES % alignmentBytes === 0))
    throw new CausewayError('general.bug', `the target needs an alignment of ${alignmentBytes} bytes`);
  const details = {
    diskId: state.diskId,
    diskBytes: state.sizeBytes,
    snapshotBytes: reader.sizeBytes,
    volumeBytes: writer.sizeBytes,
  };
  if (reader.sizeBytes !== state.sizeBytes) {
    const message = `disk ${state.diskId} has ${state.sizeBytes} bytes, its snapshot ${reader.sizeBytes}`;
    throw new CausewayError('replication.size-mismatch', message, { details });
  }
  if (writer.sizeBytes < reader.sizeBytes) {
    const message = `the volume has ${writer.sizeBytes} bytes, disk ${state.diskId} ${reader.sizeBytes}`;
    throw new CausewayError('replication.volume-too-small', message, { details });
  }
}

/** Whether the user cancelled; otherwise a side was lost. */
function isUserCancellation(signal: AbortSignal): boolean {
  return signal.aborted && (!(signal.reason instanceof CausewayError) || signal.reason.code === 'general.cancelled');
}

function cancellation(signal: AbortSignal): CausewayError {
  if (signal.reason instanceof CausewayError) return signal.reason;
  return new CausewayError('general.cancelled', 'the replication was stopped', { cause: signal.reason });
}
