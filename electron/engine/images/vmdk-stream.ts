import { unpackZlib } from './decompress.ts';
import { unreadable } from './image-errors.ts';

/** A unit of a disk that a stream carries; what no grain covers reads as zeros. */
export interface StreamedGrain {
  readonly offset: number;
  /** Bytes that it has on the disk: less than a grain at the disk's end. */
  readonly length: number;
  /** Unpacks it, to at least `length` bytes. @throws CausewayError source.image-unreadable */
  unpack(): Promise<Buffer>;
}

export interface VmdkStream {
  readonly sizeBytes: number;
  /** Ascending. Ends only after the stream's own mark of its end: a stream that was cut short throws. */
  grains(): AsyncIterableIterator<StreamedGrain>;
}

const SECTOR = 512;
const FLAGS = { compressed: 0x10000, markers: 0x20000 } as const;
const DIRECTORY_AT_END = 0xffffffffffffffffn;
const MARKER = { endOfStream: 0, grainTable: 1, grainDirectory: 2, footer: 3 } as const;
/** Exports use 128; more than this costs memory that a stream must not decide about. */
const MAX_GRAIN_SECTORS = 2048;
const MAX_OVERHEAD_SECTORS = 65_536;

/**
 * Reads a stream-optimized VMDK in the order in which it arrives, which needs no more memory than one grain. Tables within the
 * stream are skipped: each grain says itself where it belongs.
 *
 * @throws CausewayError source.image-unreadable; errors of `parts`
 */
export async function readVmdkStream(parts: AsyncIterable<Uint8Array>, name: string): Promise<VmdkStream> {
  const input = new ByteStream(parts, name);
  const head = await input.take(SECTOR);
  if (head.toString('latin1', 0, 4) !== 'KDMV') throw unreadable(name, 'it is not a VMDK stream');
  const version = head.readUInt32LE(4);
  const flags = head.readUInt32LE(8);
  if (version < 1 || version > 3) throw unreadable(name, `VMDK version ${version} is not supported (1 to 3 are)`);
  if ((flags & FLAGS.compressed) === 0 || (flags & FLAGS.markers) === 0 || head.readUInt16LE(77) !== 1)
    throw unreadable(name, 'it is not a compressed stream with markers');
  // Without this, the writer seeks: its tables come first, and nothing marks the end.
  if (head.readBigUInt64LE(56) !== DIRECTORY_AT_END)
    throw unreadable(name, 'its grain directory is not at its end: the file was not written as a stream');
  const sizeBytes = bounded(head.readBigUInt64LE(12) * 512n, Number.MAX_SAFE_INTEGER, 'capacity', name);
  const grainSectors = bounded(head.readBigUInt64LE(20), MAX_GRAIN_SECTORS, 'grain size', name);
  const overhead = bounded(head.readBigUInt64LE(64), MAX_OVERHEAD_SECTORS, 'size of its head', name);
  const grainsPerTable = head.readUInt32LE(44);
  if (sizeBytes === 0) throw unreadable(name, 'its header has a capacity of 0');
  if (!Number.isInteger(Math.log2(grainSectors)))
    throw unreadable(name, `the grain size of ${grainSectors} sectors is not valid`);
  if (grainsPerTable < 1 || grainsPerTable > 4096)
    throw unreadable(name, `${grainsPerTable} grains per table are not valid`);
  if (overhead < 1) throw unreadable(name, 'the size of its head is not valid');
  await input.skip((overhead - 1) * SECTOR);
  const grainBytes = grainSectors * SECTOR;
  const tables = Math.ceil(sizeBytes / (grainBytes * grainsPerTable));
  const limits = {
    [MARKER.grainTable]: sectorsOf(grainsPerTable * 4),
    [MARKER.grainDirectory]: sectorsOf(tables * 4),
    [MARKER.footer]: 1,
  };
  return { sizeBytes, grains: () => grainsOf(input, { name, sizeBytes, grainBytes, limits }) };
}

interface Shape {
  readonly name: string;
  readonly sizeBytes: number;
  readonly grainBytes: number;
  /** The most sectors that may follow a marker, by its type. */
  readonly limits: Readonly<Record<number, number>>;
}

async function* grainsOf(input: ByteStream, shape: Shape): AsyncIterableIterator<StreamedGrain> {
  const { name, sizeBytes, grainBytes, limits } = shape;
  let next = 0;
  for (;;) {
    const marker = await input.take(SECTOR);
    const value = marker.readBigUInt64LE(0);
    const length = marker.readUInt32LE(8);
    if (length === 0) {
      const type = marker.readUInt32LE(12);
      if (type === MARKER.endOfStream && value === 0n) return;
      const limit = limits[type];
      if (limit === undefined || value > BigInt(limit))
        throw unreadable(name, `a marker of type ${type} with ${value} sectors (damaged)`);
      await input.skip(Number(value) * SECTOR);
      continue;
    }
    if (length > 2 * grainBytes + 1024) throw unreadable(name, `a grain has ${length} compressed bytes (damaged)`);
    const offset = bounded(value * 512n, sizeBytes - 1, 'place of a grain', name);
    if (offset % grainBytes !== 0 || offset < next)
      throw unreadable(name, `a grain for offset ${offset} follows one that ends at ${next} (damaged)`);
    next = offset + grainBytes;
    const packed = await packedGrain(input, marker, length);
    const onDisk = Math.min(grainBytes, sizeBytes - offset);
    yield { offset, length: onDisk, unpack: () => unpackZlib(packed, onDisk, grainBytes, name) };
  }
}

/** The compressed bytes of a grain: they start in the sector of its marker and are padded to whole sectors. */
async function packedGrain(input: ByteStream, marker: Buffer, length: number): Promise<Buffer> {
  const first = marker.subarray(12, Math.min(SECTOR, 12 + length));
  if (first.length === length) return Buffer.from(first);
  const rest = await input.take(sectorsOf(12 + length) * SECTOR - SECTOR);
  return Buffer.concat([first, rest.subarray(0, length - first.length)]);
}

function sectorsOf(bytes: number): number {
  return Math.ceil(bytes / SECTOR);
}

function bounded(value: bigint, limit: number, what: string, name: string): number {
  if (value < 0n || value > BigInt(limit)) throw unreadable(name, `the ${what} is ${value}, which is not valid`);
  return Number(value);
}

/** Pulls bytes from a stream in pieces of a wanted length; nothing is pulled before it is asked for. */
class ByteStream {
  readonly #parts: AsyncIterator<Uint8Array>;
  readonly #name: string;
  #rest: Buffer = Buffer.alloc(0);
  #taken = 0;

  constructor(parts: AsyncIterable<Uint8Array>, name: string) {
    this.#parts = parts[Symbol.asyncIterator]();
    this.#name = name;
  }

  async take(length: number): Promise<Buffer> {
    if (this.#rest.length >= length) return this.#cut(length);
    const pieces = [this.#rest];
    for (let have = this.#rest.length; have < length;) {
      const part = await this.#pull(have, length);
      pieces.push(part);
      have += part.length;
    }
    this.#rest = Buffer.concat(pieces);
    return this.#cut(length);
  }

  async skip(length: number): Promise<void> {
    let left = length - this.#rest.length;
    if (left <= 0) {
      this.#cut(length);
      return;
    }
    this.#taken += this.#rest.length;
    this.#rest = Buffer.alloc(0);
    while (left > 0) {
      const part = await this.#pull(length - left, length);
      this.#taken += Math.min(left, part.length);
      this.#rest = part.subarray(Math.min(left, part.length));
      left -= part.length;
    }
  }

  #cut(length: number): Buffer {
    const bytes = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    this.#taken += length;
    return bytes;
  }

  async #pull(have: number, wanted: number): Promise<Buffer> {
    const { done, value } = await this.#parts.next();
    if (done === true)
      throw unreadable(
        this.#name,
        `the stream ends at byte ${this.#taken + have}, ${wanted - have} bytes too early (cut short)`,
      );
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
}
