import { createHash } from 'node:crypto';
import { extentsFrom, type Extent } from '../../../../shared/model/extent.ts';
import { appendExtent } from '../../nbd/status-extents.ts';
import type { DiskReader } from '../../ports/disk-reader.ts';
import type { WorkerVolume } from '../../ports/write-target.ts';
import { digestBlockBytes, type DigestFile } from './digest-store.ts';

const DIGEST_BYTES = 32;
/** How much the worker hashes for one answer. */
const windowBytes = 64 * 1024 * 1024;

/**
 * A copy of a disk on the export worker. The worker hashes all of it once; blocks of zeros are told by their digest, and
 * with the digests of the base only what differs from them is read, so that nothing else crosses the network.
 */
export class WorkerVolumeReader implements DiskReader {
  readonly sizeBytes: number;
  readonly coverage: 'allocated' | 'changed';
  readonly granularityBytes = digestBlockBytes;
  readonly #volume: WorkerVolume;
  readonly #own: DigestFile;
  readonly #base: DigestFile | undefined;
  #closing: Promise<void> | undefined;

  /** @param sizeBytes of the disk; the volume is as large, or larger by what the cloud rounds up */
  constructor(volume: WorkerVolume, sizeBytes: number, own: DigestFile, base: DigestFile | undefined) {
    this.sizeBytes = sizeBytes;
    this.coverage = base === undefined ? 'allocated' : 'changed';
    this.#volume = volume;
    this.#own = own;
    this.#base = base;
  }

  extents(signal: AbortSignal, fromBytes = 0): AsyncIterable<Extent> {
    return extentsFrom(this.#extents(signal, Math.floor(fromBytes / windowBytes) * windowBytes), fromBytes);
  }

  async *#extents(signal: AbortSignal, first: number): AsyncIterable<Extent> {
    if (!(await this.#own.isComplete())) await this.#own.fill(this.#hash(signal));
    const zero = createHash('sha256').update(Buffer.alloc(digestBlockBytes)).digest();
    const lastZero = createHash('sha256')
      .update(Buffer.alloc(this.sizeBytes % digestBlockBytes))
      .digest();
    const held: Extent[] = [];
    const blocks = Math.ceil(this.sizeBytes / digestBlockBytes);
    const step = windowBytes / digestBlockBytes;
    for (let at = first / digestBlockBytes; at < blocks; at += step) {
      signal.throwIfAborted();
      const count = Math.min(step, blocks - at);
      const now = await this.#own.read(at, count);
      const former = await this.#base?.read(at, count);
      for (let index = 0; index < count; index += 1) {
        const digest = now.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES);
        if (former !== undefined && digest.equals(former.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES)))
          continue;
        const offset = (at + index) * digestBlockBytes;
        const length = Math.min(digestBlockBytes, this.sizeBytes - offset);
        appendExtent(held, {
          offset,
          length,
          kind: digest.equals(length === digestBlockBytes ? zero : lastZero) ? 'zero' : 'data',
        });
        const done = held.length > 1 ? held.shift() : undefined;
        if (done !== undefined) yield done;
      }
    }
    yield* held;
  }

  read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    return this.#volume.read(offset, into, signal);
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await this.#own.close();
    await this.#base?.close();
    await this.#volume.close();
  }

  async *#hash(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < this.sizeBytes; at += windowBytes) {
      yield await this.#volume.digests(at, Math.min(windowBytes, this.sizeBytes - at), digestBlockBytes, signal);
    }
  }
}
