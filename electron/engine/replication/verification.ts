import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { systemClock, type Clock } from '../time/clock.ts';
import type { WriteTarget } from '../ports/write-target.ts';
import { BlockSet } from './block-set.ts';
import {
  appendRange,
  BLOCK_BYTES,
  blockCount,
  bytesOf,
  SEGMENT_BLOCKS,
  segmentCount,
  type BlockRun,
  type ByteRange,
} from './blocks.ts';
import { DIGEST_BYTES, WIRE_DIGEST_BYTES, zeroDigest } from './digests.ts';
import { createProgressMeter, type DiskProgress } from './progress.ts';
import type { TransferState } from './transfer-state.ts';
import { targetDigests } from './target-digests.ts';

export interface VerifyRequest {
  readonly writer: WriteTarget;
  readonly state: TransferState;
  /** `written`: what was written since the last verification that ended, in whichever execution; `all`: the whole disk, zeros too. */
  readonly scope: 'written' | 'all';
  readonly onProgress?: ((progress: DiskProgress) => void) | undefined;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

export interface VerifyOutcome {
  /** Everything in scope was compared and is as it was read from the source. */
  readonly matches: boolean;
  readonly bytesCompared: number;
  /** In scope, but what should be there is not known: the next run reads it again. */
  readonly bytesUnknown: number;
  readonly bytesDiffering: number;
  /** Where the volume differs, ascending, merged; the first 1000. */
  readonly differing: readonly ByteRange[];
  readonly durationSeconds: number;
}

/** One question to the worker; it reads and hashes that much for one answer. */
const RANGE_BLOCKS = 256;
const QUESTIONS_IN_FLIGHT = 8;
const RANGES_REPORTED = 1000;

/**
 * Compares what the volume holds with what was read from the source, by digests that the worker makes of its device.
 * Blocks that differ, or that there was nothing to compare with, are unknown from then on: the next run compares them with
 * the source and sends what differs. One that is stopped has compared nothing.
 */
export function verifyDisk(request: VerifyRequest): Promise<VerifyOutcome> {
  return request.state.exclusively(() => verify(request));
}

async function verify({
  writer,
  state,
  scope,
  onProgress,
  signal,
  clock = systemClock,
}: VerifyRequest): Promise<VerifyOutcome> {
  const startedAt = clock.monotonic();
  const scoped = scope === 'written' ? state.unverifiedBlocks() : undefined;
  let bytesTotal = 0;
  for (const run of questions(state, scoped)) bytesTotal += bytesOf(run, state.sizeBytes).length;
  const meter = createProgressMeter(state.diskId, onProgress ?? (() => {}), clock);
  meter.enter('verifying', bytesTotal);
  const differing: number[] = [];
  /** The differing ones, and those of which nothing is known to compare with. */
  const unequal: number[] = [];
  let bytesCompared = 0;
  let bytesUnknown = 0;
  const work = questions(state, scoped);
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });

  async function ask(): Promise<void> {
    for (const run of work) {
      signal.throwIfAborted();
      stop.signal.throwIfAborted();
      const { offset, length } = bytesOf(run, state.sizeBytes);
      const answer = await targetDigests(writer, offset, length, BLOCK_BYTES, stop.signal);
      for (let index = 0; index < run.count; index++) {
        const block = run.first + index;
        const bytes = bytesOf({ first: block, count: 1 }, state.sizeBytes).length;
        const known = state.blockState(block);
        if (known !== 'zero' && known !== 'digest') {
          bytesUnknown += bytes;
          unequal.push(block);
          continue;
        }
        const expected = known === 'zero' ? zeroDigest(bytes) : state.digestOf(block);
        const at = index * WIRE_DIGEST_BYTES;
        if (answer.compare(expected, 0, DIGEST_BYTES, at, at + DIGEST_BYTES) !== 0) {
          differing.push(block);
          unequal.push(block);
        }
        bytesCompared += bytes;
      }
      meter.moved(length);
    }
  }

  try {
    let failure: { readonly reason: unknown } | undefined;
    await Promise.all(
      Array.from({ length: QUESTIONS_IN_FLIGHT }, () =>
        ask().catch((reason: unknown) => {
          failure ??= { reason };
          stop.abort(reason);
        }),
      ),
    );
    if (failure !== undefined) throw failure.reason;
    const blocks = new BlockSet();
    for (const block of unequal) blocks.add(block);
    const ranges: { offset: number; length: number }[] = [];
    for (const block of differing.sort((a, b) => a - b)) {
      const { offset, length } = bytesOf({ first: block, count: 1 }, state.sizeBytes);
      appendRange(ranges, offset, length);
    }
    state.verified(blocks);
    meter.end('done');
    return {
      matches: differing.length === 0 && bytesUnknown === 0,
      bytesCompared,
      bytesUnknown,
      bytesDiffering: ranges.reduce((sum, range) => sum + range.length, 0),
      differing: ranges.slice(0, RANGES_REPORTED),
      durationSeconds: (clock.monotonic() - startedAt) / 1000,
    };
  } catch (error) {
    if (!signal.aborted || signal.reason instanceof CausewayError) throw error;
    throw new CausewayError('general.cancelled', 'the verification was stopped', { cause: signal.reason });
  } finally {
    signal.removeEventListener('abort', onAbort);
    meter.end();
  }
}

/** The error of a volume that is not what was read: it must not be called synchronised. */
export function verificationError(diskId: string, outcome: VerifyOutcome): CausewayError {
  const { bytesDiffering, bytesUnknown, bytesCompared, differing } = outcome;
  const rest = bytesUnknown > 0 ? `; ${bytesUnknown} more could not be compared` : '';
  return new CausewayError(
    'replication.verification-failed',
    `the volume of disk ${diskId} differs in ${bytesDiffering} of ${bytesCompared} bytes${rest}`,
    {
      details: {
        diskId,
        bytesCompared,
        bytesDiffering,
        bytesUnknown,
        differing: differing.slice(0, 20).map(({ offset, length }) => ({ offset, length })),
      },
    },
  );
}

function* questions(state: TransferState, scoped: BlockSet | undefined): Generator<BlockRun> {
  const segments = scoped?.segments() ?? Array.from({ length: segmentCount(state.sizeBytes) }, (_, segment) => segment);
  for (const segment of segments) {
    const first = segment * SEGMENT_BLOCKS;
    const end = Math.min(first + SEGMENT_BLOCKS, blockCount(state.sizeBytes));
    let run: { first: number; count: number } | undefined;
    for (let block = first; block < end; block++) {
      if (scoped !== undefined && !scoped.has(block)) {
        if (run !== undefined) yield run;
        run = undefined;
      } else if (run === undefined) {
        run = { first: block, count: 1 };
      } else {
        run.count += 1;
        if (run.count === RANGE_BLOCKS) {
          yield run;
          run = undefined;
        }
      }
    }
    if (run !== undefined) yield run;
  }
}
