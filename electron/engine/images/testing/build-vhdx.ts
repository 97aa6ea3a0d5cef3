import { crc32c } from '../crc32c.ts';
import { sectorsOf, type Content } from './content.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

export interface VhdxOptions {
  readonly sectorBytes?: 512 | 4096;
  /** First byte of all GUIDs of the file. */
  readonly id?: number;
  /** By the first byte of its GUIDs, or by the one that counts. */
  readonly parent?: ({ readonly id: number } | { readonly linkage: string }) & {
    readonly paths: Readonly<Record<string, string>>;
  };
}

/** A VHDX with blocks of 1 MiB: dynamic, or differencing of the sectors that the content has. Its log is empty. */
export function buildVhdx(content: Content, { sectorBytes = 512, id = 1, parent }: VhdxOptions = {}): Buffer {
  const blocks = Math.ceil(content.sizeBytes / MIB);
  const ratio = (2 ** 23 * sectorBytes) / MIB;
  const bat = Buffer.alloc(MIB);
  const blocksData: Buffer[] = [];
  // Headers, log, block table, metadata; then blocks.
  const firstBlock = 4;
  const place = (entry: number, state: number, bytes: Buffer) => {
    bat.writeBigUInt64LE((BigInt(firstBlock + blocksData.length) << 20n) | BigInt(state), entry * 8);
    blocksData.push(bytes);
  };
  for (let block = 0; block < blocks; block++) {
    const sectors = sectorsOf(content, block * MIB, MIB, sectorBytes);
    const there = sectors.filter((sector) => sector !== undefined).length;
    if (there === 0) continue;
    const stored = Buffer.concat(
      sectors.map((sector) => sector ?? Buffer.alloc(sectorBytes, parent === undefined ? 0 : 0xdd)),
    );
    const isPartial = parent !== undefined && there < sectors.length;
    place(block + Math.floor(block / ratio), isPartial ? 7 : 6, stored);
    if (!isPartial) continue;
    const bitmapEntry = (Math.floor(block / ratio) + 1) * (ratio + 1) - 1;
    if (bat.readBigUInt64LE(bitmapEntry * 8) === 0n) place(bitmapEntry, 6, Buffer.alloc(MIB));
    const bitmap = blocksData[Number(bat.readBigUInt64LE(bitmapEntry * 8) >> 20n) - firstBlock];
    for (const [index, sector] of sectors.entries()) {
      const bit = (block % ratio) * (MIB / sectorBytes) + index;
      if (sector !== undefined && bitmap !== undefined) bitmap[bit >> 3] = (bitmap[bit >> 3] ?? 0) | (1 << (bit & 7));
    }
  }
  const file = Buffer.alloc(4 * MIB);
  file.write('vhdxfile', 0, 'latin1');
  for (const [index, at] of [64 * KIB, 128 * KIB].entries()) header(file.subarray(at, at + 4 * KIB), index + 1, id);
  for (const at of [192 * KIB, 256 * KIB]) regions(file.subarray(at, at + 64 * KIB));
  bat.copy(file, 2 * MIB);
  metadata(content.sizeBytes, sectorBytes, id, parent).copy(file, 3 * MIB);
  return Buffer.concat([file, ...blocksData]);
}

/** Recomputes the checksum of a structure, e.g. after a change. */
export function seal(bytes: Buffer): void {
  bytes.writeUInt32LE(crc32c(bytes, 4), 4);
}

function header(bytes: Buffer, sequence: number, id: number): void {
  bytes.write('head', 0, 'latin1');
  bytes.writeBigUInt64LE(BigInt(sequence), 8);
  bytes.fill(id, 16, 48);
  bytes.writeUInt16LE(1, 66);
  bytes.writeUInt32LE(MIB, 68);
  bytes.writeBigUInt64LE(BigInt(MIB), 72);
  seal(bytes);
}

function regions(bytes: Buffer): void {
  bytes.write('regi', 0, 'latin1');
  bytes.writeUInt32LE(2, 8);
  for (const [index, [guid, at]] of (
    [
      ['2dc27766-f623-4200-9d64-115e9bfd4a08', 2 * MIB],
      ['8b7ca206-4790-4b9a-b8fe-575f050f886e', 3 * MIB],
    ] as const
  ).entries()) {
    guidBytes(guid).copy(bytes, 16 + index * 32);
    bytes.writeBigUInt64LE(BigInt(at), 32 + index * 32);
    bytes.writeUInt32LE(MIB, 40 + index * 32);
    bytes.writeUInt32LE(1, 44 + index * 32);
  }
  seal(bytes);
}

function metadata(sizeBytes: number, sectorBytes: number, id: number, parent: VhdxOptions['parent']): Buffer {
  const bytes = Buffer.alloc(MIB);
  bytes.write('metadata', 0, 'latin1');
  const parameters = Buffer.alloc(8);
  parameters.writeUInt32LE(MIB, 0);
  parameters.writeUInt32LE(parent === undefined ? 0 : 2, 4);
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(sizeBytes));
  const sector = Buffer.alloc(4);
  sector.writeUInt32LE(sectorBytes);
  const items: [string, Buffer][] = [
    ['caa16737-fa36-4d43-b3b6-33f0aa44e76b', parameters],
    ['2fa54224-cd1b-4876-b211-5dbed83bf4b8', size],
    ['beca12ab-b2e6-4523-93ef-c309e000c746', Buffer.alloc(16, id)],
    ['8141bf1d-a96f-4709-ba47-f233a8faab5f', sector],
    ['cda348c7-445d-4471-9cc9-e9885251c556', sector],
  ];
  if (parent !== undefined) items.push(['a8d35f2d-b30b-454d-abf7-d3d84834ab0c', locator(parent)]);
  bytes.writeUInt16LE(items.length, 10);
  let at = 64 * KIB;
  for (const [index, [guid, value]] of items.entries()) {
    guidBytes(guid).copy(bytes, 32 + index * 32);
    bytes.writeUInt32LE(at, 48 + index * 32);
    bytes.writeUInt32LE(value.length, 52 + index * 32);
    bytes.writeUInt32LE(6, 56 + index * 32);
    value.copy(bytes, at);
    at += value.length;
  }
  return bytes;
}

function locator({ paths, ...parent }: NonNullable<VhdxOptions['parent']>): Buffer {
  const guid =
    'linkage' in parent
      ? `{${parent.linkage}}`
      : `{${[4, 2, 2, 2, 6].map((count) => parent.id.toString(16).padStart(2, '0').repeat(count)).join('-')}}`;
  const pairs = Object.entries({ parent_linkage: guid, ...paths })
    .flat()
    .map((text) => Buffer.from(text, 'utf16le'));
  const head = Buffer.alloc(20 + (pairs.length / 2) * 12);
  guidBytes('b04aefb7-d19e-4a81-b789-25b8e9445913').copy(head);
  head.writeUInt16LE(pairs.length / 2, 18);
  let at = head.length;
  for (const [index, text] of pairs.entries()) {
    const entry = 20 + (index >> 1) * 12;
    head.writeUInt32LE(at, entry + (index & 1) * 4);
    head.writeUInt16LE(text.length, entry + 8 + (index & 1) * 2);
    at += text.length;
  }
  return Buffer.concat([head, ...pairs]);
}

function guidBytes(guid: string): Buffer {
  const bytes = Buffer.from(guid.replaceAll('-', ''), 'hex');
  return Buffer.concat([
    bytes.subarray(0, 4).reverse(),
    bytes.subarray(4, 6).reverse(),
    bytes.subarray(6, 8).reverse(),
    bytes.subarray(8),
  ]);
}
