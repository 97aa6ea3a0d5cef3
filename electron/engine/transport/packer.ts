import { availableParallelism } from 'node:os';
import { JobThread } from '../concurrency/job-thread.ts';
import { compress, zstdLevel, type Codec } from './compression.ts';

/** A piece of a disk as it travels. */
export interface Packed {
  readonly bytes: Uint8Array;
  /** To be called when nothing reads the bytes any more. */
  readonly release: () => void;
}

/** What the threads run. With room for the worst case Zstandard compresses in one go, without a copy of its own: a tenth less time. They answer the length of what is in the target; 0: nothing is saved. */
const program = `
const { constants, deflateRawSync, zstdCompressSync } = require('node:zlib');
const squeeze = (bytes, { codec, level }) => codec === 'zstd'
  ? zstdCompressSync(bytes, { chunkSize: bytes.length + (bytes.length >>> 8) + 65536, pledgedSrcSize: bytes.length, params: { [constants.ZSTD_c_compressionLevel]: level } })
  : deflateRawSync(bytes, { level: constants.Z_BEST_SPEED, chunkSize: Math.max(1024, bytes.length) });
return ({ shared, offset, length, target, ...how }) => {
  const packed = squeeze(Buffer.from(shared, offset, length), how);
  if (packed.length >= length * 0.97) return 0;
  Buffer.from(target).fill(packed, 0, packed.length); // as copyBytes does
  return packed.length;
};`;

/** What `VolumeWriter` cuts disks into before it compresses. */
export const packedPieceBytes = 1024 * 1024;
const mostThreads = 4;
/** So long threads wait for more to do. */
const idleMs = 20_000;
/** As many as there are pieces on their way: one that is dropped is memory until the collector finds it. */
const mostSpareTargets = 64;

const threads = new Set<JobThread>();
const spareTargets: SharedArrayBuffer[] = [];
let idleTimer: NodeJS.Timeout | undefined;

/**
 * Compresses a piece, in a thread of its own where it lies in shared memory: no memory is made then that the collector of this
 * thread would have to look after. Resolves with undefined when nothing is saved by it.
 */
export async function pack(bytes: Uint8Array, codec: Codec): Promise<Packed | undefined> {
  const thread = bytes.buffer instanceof SharedArrayBuffer ? idlestThread() : undefined;
  if (thread === undefined) {
    const packed = await compress(bytes, codec);
    return packed === undefined ? undefined : { bytes: packed, release: () => {} };
  }
  const target = takeTarget(bytes.length);
  const job = { shared: bytes.buffer, offset: bytes.byteOffset, length: bytes.length, target, codec, level: zstdLevel };
  const length = await thread.run(job, bytes.length);
  if (typeof length === 'number' && length > 0)
    return { bytes: Buffer.from(target, 0, length), release: () => keepTarget(target) };
  keepTarget(target);
  return undefined;
}

/** Whether a piece would wait behind others. */
export function packersAreBusy(): boolean {
  for (const thread of threads) if (thread.load < 2 * packedPieceBytes) return false;
  return threads.size > 0;
}

/** The one with the least to do, once there is one; those that are missing are started. */
function idlestThread(): JobThread | undefined {
  const wanted = Math.min(mostThreads, availableParallelism());
  while (threads.size < wanted && startThread());
  idleTimer = idleTimer?.refresh() ?? setTimeout(endThreads, idleMs).unref();
  let idlest: JobThread | undefined;
  for (const thread of threads)
    if (thread.isOnline && (idlest === undefined || thread.load < idlest.load)) idlest = thread;
  return idlest;
}

function startThread(): boolean {
  try {
    const thread = new JobThread('packer', program, () => threads.delete(thread));
    threads.add(thread);
    return true;
  } catch {
    // Where there can be no threads, the pool's compress.
    return false;
  }
}

function endThreads(): void {
  idleTimer = undefined;
  for (const thread of [...threads]) thread.end();
  spareTargets.length = 0;
}

/** Of one size, so that each fits the next piece: shared memory is given back by the collector alone, which does not see how much it is. */
function takeTarget(bytes: number): SharedArrayBuffer {
  return bytes > packedPieceBytes
    ? new SharedArrayBuffer(bytes)
    : (spareTargets.pop() ?? new SharedArrayBuffer(packedPieceBytes));
}

function keepTarget(target: SharedArrayBuffer): void {
  if (target.byteLength === packedPieceBytes && spareTargets.length < mostSpareTargets) spareTargets.push(target);
}
