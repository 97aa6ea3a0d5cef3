import { availableParallelism } from 'node:os';
import { constants, deflateRaw, zstdCompress } from 'node:zlib';

/** Zstandard brings the same ratio for about a quarter of deflate's processor time. */
export type Codec = 'zstd' | 'deflate';

/** The best one that the worker's `features` and this process have. */
export function codecFor(features: readonly string[]): Codec {
  return features.includes('zstd') && typeof zstdCompress === 'function' ? 'zstd' : 'deflate';
}

export type CompressionPolicy = 'auto' | 'always' | 'never';

interface Epoch {
  readonly compressing: boolean;
  firstAck: number | undefined;
  lastAck: number;
  bytes: number;
  acks: number;
  /** Of these, while pieces waited to be compressed. */
  busyAcks: number;
}

export interface TunerOptions {
  /** The link is long: compressing comes first, and stays without a comparison while no piece waits for it. Default no. */
  readonly longWay?: boolean;
  /** Whether pieces wait to be compressed. */
  readonly isBusy?: () => boolean;
  readonly now?: () => number;
  readonly processors?: number;
}

// What one processor compresses at best, and how many of them work at it: the threads of the pool, the engine's own apart.
const bytesPerSecond: Readonly<Record<Codec, number>> = { zstd: 300e6, deflate: 130e6 };
const compressingThreads = 4;
const epochBytes = 16 * 1024 * 1024;
const epochMs = 400;
const shortEpochBytes = 1024 * 1024;
const shortEpochMs = 2000;
const pauseMs = 2000;
const gainFactor = 1.1;
/** On a long way the doubtful case goes the other way: samples there are taken while windows still grow, and pieces go as they are while the packers are busy. */
const longWayGainFactor = 1 / 1.1;
const askAgainAfterMs = 30_000;
const idleShare = 0.3;

/**
 * Decides whether compressing pays, by trying: a few megabytes as they are, a few compressed, and what brought more of
 * the disk across in a second is kept, until it is asked again some time later. No model of the link, the processors or
 * the worker's storage is needed for that, and where storage is the bottleneck it rightly finds that nothing is gained.
 * On a long way the link is the bottleneck wherever compressing keeps up with it; what is measured while it fills does not count.
 */
export class CompressionTuner {
  readonly #policy: CompressionPolicy;
  readonly #now: () => number;
  readonly #hopelessBytesPerSecond: number;
  readonly #longWay: boolean;
  readonly #isBusy: () => boolean;
  #epoch: Epoch;
  #rawRate: number | undefined;
  #compressedRate: number | undefined;
  #settledAt: number | undefined;
  #isWarm: boolean;

  /** `processors`: above what these compress it is not even tried. */
  constructor(
    policy: CompressionPolicy,
    codec: Codec,
    {
      longWay = false,
      isBusy = () => true,
      now = () => performance.now(),
      processors = availableParallelism(),
    }: TunerOptions = {},
  ) {
    this.#hopelessBytesPerSecond = bytesPerSecond[codec] * Math.max(1, Math.min(compressingThreads, processors - 1));
    this.#policy = policy;
    this.#now = now;
    this.#longWay = longWay;
    this.#isBusy = isBusy;
    this.#isWarm = !longWay;
    this.#epoch = newEpoch(policy === 'always' || (policy === 'auto' && longWay), now());
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
      current.bytes = current.acks = current.busyAcks = 0;
      return;
    }
    current.lastAck = now;
    current.bytes += bytes;
    current.acks += 1;
    if (current.compressing && this.#isBusy()) current.busyAcks += 1;
    const elapsed = now - current.firstAck;
    const longEnough =
      (current.bytes >= epochBytes && elapsed >= epochMs) ||
      (current.bytes >= shortEpochBytes && elapsed >= shortEpochMs);
    if (longEnough) this.#conclude(current, (current.bytes / elapsed) * 1000, now);
  }

  #conclude(epoch: Epoch, rate: number, now: number): void {
    if (!this.#isWarm) {
      this.#isWarm = true;
      this.#epoch = newEpoch(epoch.compressing, now);
      return;
    }
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
    if (this.#longWay && epoch.compressing && epoch.busyAcks < epoch.acks * idleShare) return this.#settle(true, now);
    if (this.#rawRate === undefined) return false;
    if (this.#compressedRate === undefined) return true;
    return this.#settle(this.#compressedRate > this.#rawRate * (this.#longWay ? longWayGainFactor : gainFactor), now);
  }

  #settle(compressing: boolean, now: number): boolean {
    this.#settledAt = now;
    return compressing;
  }
}

function newEpoch(compressing: boolean, now: number): Epoch {
  return { compressing, firstAck: undefined, lastAck: now, bytes: 0, acks: 0, busyAcks: 0 };
}

const sampleBytes = 4096;
const sampleCount = 4;
/** Noise has almost 8 bits a byte, and so has what is compressed or encrypted already; programs 6 to 6.5, text less than 5. */
const compressibleBits = 7.5;
const counts = new Uint16Array(256);
const timesLog2 = Float64Array.from({ length: sampleBytes + 1 }, (_, count) =>
  count === 0 ? 0 : count * Math.log2(count),
);

/** Whether one of a few samples is far from noise; takes a few hundredths of a millisecond, and no memory. */
export function looksCompressible(bytes: Uint8Array): boolean {
  if (bytes.length < 512) return false;
  const step = Math.floor(Math.max(0, bytes.length - sampleBytes) / (sampleCount - 1));
  for (let index = 0; index < sampleCount; index++) {
    if (bitsPerByte(bytes, index * step, Math.min(bytes.length, index * step + sampleBytes)) < compressibleBits)
      return true;
    if (step === 0) break;
  }
  return false;
}

/** The entropy of single bytes in [start, end). */
function bitsPerByte(bytes: Uint8Array, start: number, end: number): number {
  counts.fill(0);
  for (let at = start; at < end; at++) counts[bytes[at]!]! += 1;
  let sum = 0;
  for (const count of counts) sum += timesLog2[count]!;
  return Math.log2(end - start) - sum / (end - start);
}

/** More of it costs more than it brings: level 3 makes a tenth less of it, in one and a half times the time. */
export const zstdLevel = 1;

/** Compresses in the thread pool. Resolves with undefined when nothing is saved by it. */
export function compress(bytes: Uint8Array, codec: Codec): Promise<Buffer | undefined> {
  const chunkSize = Math.max(1024, bytes.length >>> 1);
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, result: Buffer): void => {
      if (error !== null) reject(error);
      else resolve(result.length < bytes.length * 0.97 ? result : undefined);
    };
    if (codec === 'zstd')
      zstdCompress(bytes, { chunkSize, params: { [constants.ZSTD_c_compressionLevel]: zstdLevel } }, done);
    else deflateRaw(bytes, { level: constants.Z_BEST_SPEED, chunkSize }, done);
  });
}
