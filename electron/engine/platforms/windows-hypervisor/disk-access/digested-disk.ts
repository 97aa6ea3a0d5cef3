import { createHash } from 'node:crypto';
import { extentsFrom, type Extent } from '../../../../../shared/model/extent.ts';
import { appendExtent } from '../../../nbd/status-extents.ts';
import type { DiskReader } from '../../../ports/disk-reader.ts';
import { digestBlockBytes, type DigestFile } from '../../../workers/export/digest-store.ts';
import type { DiskContent } from './disk-access.ts';

/** How much the host hashes for one answer. */
const windowBytes = 64 * 2 ** 20;
const digestBytes = 32;
const zeros = new Map<number, Buffer>();

function zeroDigest(length: number): Buffer {
  const known = zeros.get(length) ?? createHash('sha256').update(Buffer.alloc(length)).digest();
  zeros.set(length, known);
  return known;
}

export interface DigestedDisk {
  readonly content: DiskContent & Required<Pick<DiskContent, 'digests'>>;
  /** What the host has tracked since the base; undefined: it does not know. */
  readonly changes: readonly Extent[] | undefined;
  /** Where the digests of this checkpoint are kept. */
  readonly own: DigestFile;
  /** Those of the base, if they are complete. */
  readonly base: DigestFile | undefined;
}

/**
 * A disk whose blocks the host hashes. Blocks of zeros are told by their digest and never cross the network. Where nothing was tracked since the base, what
 * differs is told by the digests of the base, so that blocks that did not change don't cross it either.
 */
export function digestedReader({ content, changes, own, base }: DigestedDisk): DiskReader {
  let isRecording = false;
  let closing: Promise<void> | undefined;
  const { sizeBytes } = content;

  /** Digests of a window, all blocks of it; undefined where those that did not change are not known. */
  async function windowDigests(
    at: number,
    end: number,
    isKept: boolean,
    signal: AbortSignal,
  ): Promise<{ readonly digests: Buffer; readonly isWhole: boolean }> {
    const [first, count] = [at / digestBlockBytes, Math.ceil((end - at) / digestBlockBytes)];
    if (isKept) return { digests: await own.read(first, count), isWhole: true };
    if (changes === undefined)
      return { digests: Buffer.from(await content.digests(at, end - at, digestBlockBytes, signal)), isWhole: true };
    const digests = base === undefined ? Buffer.alloc(count * digestBytes) : await base.read(first, count);
    for (const { from, to } of changedBlocks(changes, at, end, sizeBytes)) {
      const fresh = await content.digests(from, to - from, digestBlockBytes, signal);
      digests.set(fresh, ((from - at) / digestBlockBytes) * digestBytes);
    }
    return { digests, isWhole: base !== undefined };
  }

  async function* extents(signal: AbortSignal, fromBytes: number): AsyncGenerator<Extent> {
    const isKept = await own.isComplete();
    const start = Math.floor(fromBytes / windowBytes) * windowBytes;
    const recorder =
      !isKept && !isRecording && start === 0 && (changes === undefined || base !== undefined)
        ? new DigestRecorder(own)
        : undefined;
    isRecording ||= recorder !== undefined;
    const held: Extent[] = [];
    try {
      for (let at = start; at < sizeBytes; at += windowBytes) {
        signal.throwIfAborted();
        const end = Math.min(sizeBytes, at + windowBytes);
        const { digests, isWhole } = await windowDigests(at, end, isKept, signal);
        if (isWhole) await recorder?.add(digests);
        const former =
          changes === undefined
            ? await base?.read(at / digestBlockBytes, Math.ceil((end - at) / digestBlockBytes))
            : undefined;
        for (const { offset, length, digest, index } of blocksOf(changes, at, end, digests)) {
          if (former?.subarray(index * digestBytes, (index + 1) * digestBytes).equals(digest) === true) continue;
          const blockLength = Math.min(
            digestBlockBytes,
            sizeBytes - Math.floor(offset / digestBlockBytes) * digestBlockBytes,
          );
          appendExtent(held, { offset, length, kind: digest.equals(zeroDigest(blockLength)) ? 'zero' : 'data' });
          const done = held.length > 1 ? held.shift() : undefined;
          if (done !== undefined) yield done;
        }
      }
      await recorder?.finish();
      yield* held;
    } finally {
      await recorder?.abandon();
      isRecording &&= recorder === undefined;
    }
  }

  return {
    sizeBytes,
    coverage: changes === undefined && base === undefined ? 'allocated' : 'changed',
    granularityBytes: changes === undefined ? digestBlockBytes : 512,
    extents: (signal, fromBytes = 0) => extentsFrom(extents(signal, fromBytes), fromBytes),
    read: (offset, into, signal) => content.read(offset, into, signal),
    close: () =>
      (closing ??= (async () => {
        await own.close();
        await base?.close();
        await content.close();
      })()),
  };
}

interface Piece {
  readonly offset: number;
  readonly length: number;
  /** Of the block that the piece is in, whose number in the window is `index`. */
  readonly digest: Buffer;
  readonly index: number;
}

/** The pieces of changes in a window, cut at blocks; all blocks where changes are not known. */
function* blocksOf(changes: readonly Extent[] | undefined, at: number, end: number, digests: Buffer): Generator<Piece> {
  for (const change of changes ?? [{ offset: at, length: end - at }]) {
    const to = Math.min(end, change.offset + change.length);
    for (let offset = Math.max(at, change.offset); offset < to;) {
      const index = Math.floor((offset - at) / digestBlockBytes);
      const next = Math.min(to, at + (index + 1) * digestBlockBytes);
      yield {
        offset,
        length: next - offset,
        digest: digests.subarray(index * digestBytes, (index + 1) * digestBytes),
        index,
      };
      offset = next;
    }
  }
}

/** Changes within a window, widened to blocks, neighbours joined. */
function changedBlocks(
  changes: readonly Extent[],
  at: number,
  end: number,
  sizeBytes: number,
): readonly { readonly from: number; readonly to: number }[] {
  const found: { from: number; to: number }[] = [];
  for (const { offset, length } of changes) {
    if (offset >= end || offset + length <= at) continue;
    const from = Math.max(at, Math.floor(offset / digestBlockBytes) * digestBlockBytes);
    const to = Math.min(end, sizeBytes, Math.ceil((offset + length) / digestBlockBytes) * digestBlockBytes);
    const last = found.at(-1);
    if (last !== undefined && last.to >= from) last.to = Math.max(last.to, to);
    else found.push({ from, to });
  }
  return found;
}

/** A promise that may be rejected before anybody waits for it. */
function upcoming(): PromiseWithResolvers<Uint8Array | undefined> {
  const next = Promise.withResolvers<Uint8Array | undefined>();
  next.promise.catch(() => undefined);
  return next;
}

/** Writes digests as they come; the file is complete only after `finish`. Without it, the next comparison reads the whole disk: no reason to fail. */
class DigestRecorder {
  readonly #written: Promise<void>;
  #next = upcoming();
  #taken = Promise.withResolvers<void>();
  #isOver = false;

  constructor(file: DigestFile) {
    this.#written = file.fill(this.#pieces());
    this.#written.catch(() => this.#taken.resolve());
  }

  async add(digests: Uint8Array): Promise<void> {
    const taken = this.#taken.promise;
    this.#next.resolve(digests);
    await taken;
  }

  async finish(): Promise<void> {
    this.#isOver = true;
    this.#next.resolve(undefined);
    await this.#written.catch(() => undefined);
  }

  /** Does nothing after `finish`. */
  async abandon(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#next.reject(new Error('not all of the disk was listed'));
    await this.#written.catch(() => undefined);
  }

  async *#pieces(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const piece = await this.#next.promise;
      if (piece === undefined) return;
      yield piece;
      this.#next = upcoming();
      const taken = this.#taken;
      this.#taken = Promise.withResolvers();
      taken.resolve();
    }
  }
}
