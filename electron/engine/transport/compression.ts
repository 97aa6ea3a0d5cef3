import { availableParallelism } from 'node:os';
import { constants, deflateRaw, deflateRawSync } from 'node:zlib';

export type CompressionPolicy = 'auto' | 'always' | 'never';

interface Epoch {
  readonly compressing: boolean;
  firstAck: number | undefined;
  lastAck: number;
  bytes: number;
}

// What one processor deflates at best, and how many of them work at it: the threads of the pool, the engine's own apart.
const deflatedBytesPerSecond = 130e6;
const deflatingThreads = 4;
const epochBytes = 8 * 1024 * 1024;
const epochMs = 250;
const shortEpochBytes = 1024 * 1024;
const shortEpochMs = 2000;
const pauseMs = 2000;
const gainFactor = 1.1;
const askAgainAfterMs = 30_000;

/**
 * Decides whether compressing pays, by trying: a few megabytes as they are, a few compressed, and what brought more of
 * the disk across in a second is kept, until it is asked again some time later. No model of the link, the processors or
 * the worker's storage is needed for that, and where storage is the bottleneck it rightly finds that nothing is gained.
 */
export class CompressionTuner {
  readonly #policy: CompressionPolicy;
  readonly #now: () => number;
  readonly #hopelessBytesPerSecond: number;
  #epoch: Epoch;
  #rawRate: number | undefined;
  #compressedRate: number | undefined;
  #settledAt: number | undefined;

  /** `processors`: above what these deflate it is not even tried. */
  constructor(policy: CompressionPolicy, now: () => number = () => performance.now(), processors: number = availableParallelism()) {
    this.#hopelessBytesPerSecond = deflatedBytesPerSecond * Math.max(1, Math.min(deflatingThreads, processors - 1));
    this.#policy = policy;
    this.#now = now;
    this.#epoch = newEpoch(policy === 'always', now());
  }

  get compressing(): boolean {
    return this.#epoch.compressing;
  }

  /** What a write takes along to `acknowledged`. */
  get epoch(): unknown {
    return this.#epoch;
  }

  /** Reports that the worker has `bytes` of the disk, sent in `epoch`. */
  acknowledged(epoch: unknown, bytes: number): void {
    if (this.#policy !== 'auto' || epoch !== this.#epoch) return;
    const now = this.#now();
    const current = this.#epoch;
    if (current.firstAck === undefined || now - current.lastAck > pauseMs) {
      current.firstAck = current.lastAck = now;
      current.bytes = 0;
      return;
    }
    current.lastAck = now;
    current.bytes += bytes;
    const elapsed = now - current.firstAck;
    const longEnough =
      (current.bytes >= epochBytes && elapsed >= epochMs) || (current.bytes >= shortEpochBytes && elapsed >= shortEpochMs);
    if (longEnough) this.#conclude(current, (current.bytes / elapsed) * 1000, now);
  }

  #conclude(epoch: Epoch, rate: number, now: number): void {
    if (epoch.compressing) this.#compressedRate = rate;
    else this.#rawRate = rate;
    this.#epoch = newEpoch(this.#next(epoch, now), now);
  }

  #next(epoch: Epoch, now: number): boolean {
    if (!epoch.compressing && (this.#rawRate ?? 0) > this.#hopelessBytesPerSecond) return this.#settle(false, now);
    const asking = this.#settledAt === undefined || now - this.#settledAt > askAgainAfterMs;
    if (!asking) return epoch.compressing;
    if (this.#settledAt !== undefined) {
      // Time to ask again: forget what the other way once brought.
      this.#settledAt = undefined;
      if (epoch.compressing) this.#rawRate = undefined;
      else this.#compressedRate = undefined;
    }
    if (this.#rawRate === undefined) return false;
    if (this.#compressedRate === undefined) return true;
    return this.#settle(this.#compressedRate > this.#rawRate * gainFactor, now);
  }

  #settle(compressing: boolean, now: number): boolean {
    this.#settledAt = now;
    return compressing;
  }
}

function newEpoch(compressing: boolean, now: number): Epoch {
  return { compressing, firstAck: undefined, lastAck: now, bytes: 0 };
}

const sampleBytes = 4096;
const sampleCount = 4;
const worthwhileRatio = 0.85;

/** Whether a few samples of `bytes` get clearly smaller; costs about a tenth of a millisecond. */
export function looksCompressible(bytes: Uint8Array): boolean {
  if (bytes.length < 512) return false;
  if (bytes.length <= sampleBytes * sampleCount) return ratioOf(bytes) < worthwhileRatio;
  const samples = Buffer.allocUnsafe(sampleBytes * sampleCount);
  const step = Math.floor((bytes.length - sampleBytes) / (sampleCount - 1));
  for (let index = 0; index < sampleCount; index++) {
    samples.set(bytes.subarray(index * step, index * step + sampleBytes), index * sampleBytes);
  }
  return ratioOf(samples) < worthwhileRatio;
}

function ratioOf(bytes: Uint8Array): number {
  return deflateRawSync(bytes, { level: constants.Z_BEST_SPEED }).length / bytes.length;
}

/** Raw deflate in the thread pool. Resolves with undefined when nothing is saved by it. */
export function deflate(bytes: Uint8Array): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    deflateRaw(bytes, { level: constants.Z_BEST_SPEED, chunkSize: Math.max(1024, bytes.length >>> 1) }, (error, result) => {
      if (error !== null) reject(error);
      else resolve(result.length < bytes.length * 0.97 ? result : undefined);
    });
  });
}
