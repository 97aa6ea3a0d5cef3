import { extentsFrom, type Extent } from '../../../../shared/model/extent.ts';
import type { DiskReader } from '../../ports/disk-reader.ts';
import type { WriteTarget } from '../../ports/write-target.ts';
import { BLOCK_BYTES } from '../blocks.ts';
import { blockDigest } from '../digests.ts';

/** Called before every step of I/O; throws to let the process "die" there. */
export type Step = (what: string) => void;

/**
 * The content of a disk, one number for each sector of 512 bytes: the sector holds that number over and over. Disks of
 * several segments cost little that way; all I/O has to keep to sectors.
 */
export type Sectors = Int32Array;

export const SECTOR = 512;
const WORDS = SECTOR / 4;

export const sectorsOf = (sizeBytes: number): Sectors => new Int32Array(sizeBytes / SECTOR);

function render(sectors: Sectors, offset: number, into: Uint8Array): void {
  const first = aligned(offset);
  const words = new Int32Array(into.buffer, into.byteOffset, into.byteLength / 4);
  for (let i = 0; i < aligned(into.length); i++) words.fill(sectors[first + i]!, i * WORDS, (i + 1) * WORDS);
}

/** The bytes that a run of sectors stands for. */
export function bytesOfSectors(sectors: Sectors): Buffer {
  const bytes = Buffer.alloc(sectors.length * SECTOR);
  render(sectors, 0, bytes);
  return bytes;
}

/** By number and length: digests of a run of sectors that are all alike, of which disks in tests mostly consist. */
const uniform = new Map<string, Buffer>();

/** SHA-256 of the bytes that a run of sectors stands for. */
export function digestOfSectors(sectors: Sectors): Buffer {
  const first = sectors[0];
  if (!sectors.every((sector) => sector === first)) return blockDigest(bytesOfSectors(sectors));
  const key = `${first} ${sectors.length}`;
  const digest = uniform.get(key) ?? blockDigest(bytesOfSectors(sectors));
  uniform.set(key, digest);
  return digest;
}

function parse(bytes: Uint8Array): Sectors {
  const copy = new Int32Array(Uint8Array.from(bytes).buffer);
  return Int32Array.from({ length: aligned(bytes.length) }, (_, i) => {
    if (copy[i * WORDS] !== copy[(i + 1) * WORDS - 1]) throw new Error('a sector was torn on its way');
    return copy[i * WORDS]!;
  });
}

function aligned(bytes: number): number {
  if (bytes % SECTOR !== 0) throw new Error(`${bytes} is not a multiple of a sector`);
  return bytes / SECTOR;
}

export interface ReaderOptions {
  readonly coverage?: 'allocated' | 'changed';
  readonly granularity?: number;
  readonly step?: Step;
}

/** A snapshot in memory. */
export class MemoryReader implements DiskReader {
  readonly sizeBytes: number;
  readonly coverage: 'allocated' | 'changed';
  readonly granularityBytes: number;
  readonly #content: Sectors;
  readonly #extents: readonly Extent[];
  readonly #step: Step;
  bytesRead = 0;
  readsInFlight = 0;

  constructor(
    content: Sectors,
    extents: readonly Extent[],
    { coverage = 'allocated', granularity = 4096, step = () => {} }: ReaderOptions = {},
  ) {
    this.#content = content;
    this.#extents = extents;
    this.sizeBytes = content.length * SECTOR;
    this.coverage = coverage;
    this.granularityBytes = granularity;
    this.#step = step;
  }

  async *extents(_signal?: AbortSignal, fromBytes = 0): AsyncGenerator<Extent> {
    for await (const extent of extentsFrom(this.#extents, fromBytes)) {
      this.#step('extents');
      yield extent;
    }
  }

  async read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.readsInFlight += 1;
    try {
      this.#step('read');
      await Promise.resolve();
      this.#step('read answer');
      if (offset + into.length > this.sizeBytes)
        throw new Error(`read of ${into.length} bytes at ${offset} leaves the disk`);
      render(this.#content, offset, into);
      this.bytesRead += into.length;
    } finally {
      this.readsInFlight -= 1;
    }
  }

  async close(): Promise<void> {}
}

/** A reader of the whole disk, where runs of `granularity` that are all zero are holes. */
export function allocatedReader(content: Sectors, options: ReaderOptions = {}): MemoryReader {
  const { granularity = 4096 } = options;
  return new MemoryReader(
    content,
    merge(content, granularity, (part) => (part.every((sector) => sector === 0) ? 'zero' : 'data')),
    options,
  );
}

/** A reader of what differs from `base`; what lies beyond its end is left out, as some trackers do. */
export function changedReader(base: Sectors, content: Sectors, options: ReaderOptions = {}): MemoryReader {
  const { granularity = 4096 } = options;
  const extents = merge(content, granularity, (part, from) => {
    if (from >= base.length || part.every((sector, i) => from + i >= base.length || sector === base[from + i]))
      return undefined;
    return part.every((sector) => sector === 0) ? 'zero' : 'data';
  });
  return new MemoryReader(content, extents, { ...options, coverage: 'changed' });
}

function merge(
  content: Sectors,
  granularity: number,
  kindOf: (part: Sectors, from: number) => Extent['kind'] | undefined,
): Extent[] {
  const extents: { offset: number; length: number; kind: Extent['kind'] }[] = [];
  const stride = granularity / SECTOR;
  for (let from = 0; from < content.length; from += stride) {
    const part = content.subarray(from, from + stride);
    const kind = kindOf(part, from);
    const last = extents.at(-1);
    if (kind === undefined) continue;
    if (last?.kind === kind && last.offset + last.length === from * SECTOR) last.length += part.length * SECTOR;
    else extents.push({ offset: from * SECTOR, length: part.length * SECTOR, kind });
  }
  return extents;
}

/** A volume in memory. What was written since the last flush may be lost, in any part, by a crash. */
export class MemoryVolume {
  /** What a read sees. */
  content: Sectors;
  /** What survives for sure. */
  durable: Sectors;
  #unflushed: { readonly first: number; readonly sectors: Sectors }[] = [];

  constructor(content: Sectors) {
    this.content = content.slice();
    this.durable = content.slice();
  }

  apply(offset: number, sectors: Sectors): void {
    const first = aligned(offset);
    if (first + sectors.length > this.content.length) throw new Error('a write leaves the volume');
    this.content.set(sectors, first);
    this.#unflushed.push({ first, sectors });
  }

  get unflushed(): number {
    return this.#unflushed.length;
  }

  flush(upTo: number): void {
    for (const { first, sectors } of this.#unflushed.splice(0, upTo)) this.durable.set(sectors, first);
  }

  /** The machine dies: of each unflushed write, each sector either arrived or did not. */
  crash(survives: () => boolean): void {
    for (const { first, sectors } of this.#unflushed.splice(0)) {
      for (let i = 0; i < sectors.length; i += 8) {
        if (survives()) this.durable.set(sectors.subarray(i, i + 8), first + i);
      }
    }
    this.content = this.durable.slice();
  }

  grow(sizeBytes: number, filler: number): void {
    const grown = sectorsOf(sizeBytes).fill(filler);
    grown.set(this.content);
    this.content = grown;
    this.durable = grown.slice();
  }
}

/** Writes to a volume in memory; `delay` is how many turns an answer takes, so that they come in any order. */
export class MemoryWriter implements WriteTarget {
  readonly alignmentBytes: number;
  readonly #volume: MemoryVolume;
  readonly #step: Step;
  readonly #delay: () => number;
  bytesSent = 0;
  bytesZeroed = 0;
  /** Ranges that were sent, in the order of arrival. */
  readonly writes: { readonly offset: number; readonly length: number }[] = [];
  flushes = 0;

  /** @param alignmentBytes a multiple of a sector; other writes are errors */
  constructor(volume: MemoryVolume, step: Step = () => {}, delay: () => number = () => 1, alignmentBytes = SECTOR) {
    this.alignmentBytes = alignmentBytes;
    this.#volume = volume;
    this.#step = step;
    this.#delay = delay;
  }

  get sizeBytes(): number {
    return this.#volume.content.length * SECTOR;
  }

  async write(offset: number, bytes: Uint8Array, signal: AbortSignal): Promise<{ readonly bytesSent: number }> {
    this.#checkAlignment(offset, bytes.length);
    await this.#arrive('write', signal);
    this.writes.push({ offset, length: bytes.length });
    this.#volume.apply(offset, parse(bytes));
    this.bytesSent += bytes.length;
    this.#step('write answer');
    return { bytesSent: bytes.length };
  }

  async zero(offset: number, length: number, signal: AbortSignal): Promise<void> {
    this.#checkAlignment(offset, length);
    await this.#arrive('zero', signal);
    this.#volume.apply(offset, sectorsOf(length));
    this.bytesZeroed += length;
    this.#step('zero answer');
  }

  async flush(signal: AbortSignal): Promise<void> {
    const upTo = this.#volume.unflushed;
    await this.#arrive('flush', signal);
    this.#volume.flush(upTo);
    this.flushes += 1;
    this.#step('flush answer');
  }

  async read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    await this.#arrive('read back', signal);
    render(this.#volume.content, offset, into);
  }

  async digests(offset: number, length: number, blockBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    await this.#arrive('digests', signal);
    const digests: Buffer[] = [];
    for (let at = offset; at < offset + length; at += blockBytes) {
      const bytes = Math.min(blockBytes, offset + length - at);
      const sectors = this.#volume.content.subarray(aligned(at), aligned(at + bytes));
      digests.push(digestOfSectors(sectors));
    }
    return Buffer.concat(digests);
  }

  /** Blocks that can be recalled, by digest; undefined: it keeps none. Set by tests. */
  kept: Map<string, Uint8Array> | undefined;
  bytesRecalled = 0;

  get recallBlockBytes(): number {
    return this.kept === undefined ? 0 : BLOCK_BYTES;
  }

  async recall(offset: number, length: number, digests: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    await this.#arrive('recall', signal);
    const answer = new Uint8Array(Math.ceil(length / BLOCK_BYTES));
    for (let index = 0; index < answer.length; index++) {
      const block = this.kept?.get(Buffer.from(digests.subarray(index * 32, index * 32 + 32)).toString('hex'));
      if (block === undefined) continue;
      this.#volume.apply(offset + index * BLOCK_BYTES, parse(block));
      this.bytesRecalled += block.length;
      answer[index] = 1;
    }
    this.#step('recall answer');
    return answer;
  }

  async close(): Promise<void> {}

  #checkAlignment(offset: number, length: number): void {
    const isAligned = (at: number): boolean => at % this.alignmentBytes === 0;
    if (!isAligned(offset) || !(isAligned(offset + length) || offset + length === this.sizeBytes))
      throw new Error(`${length} bytes at ${offset} are not aligned`);
  }

  async #arrive(what: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#step(what);
    for (let turns = this.#delay(); turns > 0; turns--) await Promise.resolve();
    signal.throwIfAborted();
  }
}
