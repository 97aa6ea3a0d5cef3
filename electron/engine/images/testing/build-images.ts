import zlib from 'node:zlib';
import { sectorsOf, type Content } from './content.ts';

const SECTOR = 512;

export interface Qcow2Options {
  readonly backing?: string;
  /** `null`: the image says none. */
  readonly backingFormat?: string | null;
  /** Every other cluster is compressed. */
  readonly compressed?: boolean;
  /** Subclusters (extended L2) in clusters of 16 KiB, and zstd: each sets a feature that older readers must refuse. */
  readonly subclusters?: boolean;
  readonly zstd?: boolean;
}

/** A qcow2 image (version 3) with clusters of 4 KiB. */
export function buildQcow2(content: Content, options: Qcow2Options = {}): Buffer {
  const bits = options.subclusters === true ? 14 : 12;
  const cluster = 2 ** bits;
  const entryBytes = options.subclusters === true ? 16 : 8;
  const perL2 = cluster / entryBytes;
  const l1Entries = Math.ceil(content.sizeBytes / (cluster * perL2));
  const head = Buffer.alloc(cluster);
  head.write('QFI\xfb', 0, 'latin1');
  head.writeUInt32BE(3, 4);
  head.writeUInt32BE(bits, 20);
  head.writeBigUInt64BE(BigInt(content.sizeBytes), 24);
  head.writeUInt32BE(l1Entries, 36);
  head.writeBigUInt64BE(BigInt(cluster), 40);
  head.writeUInt32BE(4, 96);
  head.writeBigUInt64BE((options.zstd === true ? 8n : 0n) | (options.subclusters === true ? 16n : 0n), 72);
  head.writeUInt32BE(options.zstd === true ? 112 : 104, 100);
  if (options.zstd === true) head[104] = 1;
  if (options.backing !== undefined) {
    if (options.backingFormat !== null) {
      const format = Buffer.from(options.backingFormat ?? 'qcow2');
      const extension = head.readUInt32BE(100);
      head.writeUInt32BE(0xe2792aca, extension);
      head.writeUInt32BE(format.length, extension + 4);
      format.copy(head, extension + 8);
    }
    const name = Buffer.from(options.backing);
    head.writeBigUInt64BE(512n, 8);
    head.writeUInt32BE(name.length, 16);
    name.copy(head, 512);
  }
  const l1 = Buffer.alloc(Math.ceil((l1Entries * 8) / cluster) * cluster);
  const parts: Buffer[] = [];
  let at = cluster + l1.length;
  const push = (bytes: Buffer) => {
    // A table is pushed before it is filled.
    const padded =
      bytes.length === cluster ? bytes : Buffer.concat([bytes, Buffer.alloc(-bytes.length & (cluster - 1))]);
    parts.push(padded);
    at += padded.length;
    return at - padded.length;
  };
  for (let table = 0; table < l1Entries; table++) {
    const l2 = Buffer.alloc(cluster);
    const l2At = push(l2);
    l1.writeBigUInt64BE(BigInt(l2At) | (1n << 63n), table * 8);
    for (let index = 0; index < perL2; index++) {
      const offset = (table * perL2 + index) * cluster;
      const sectors = sectorsOf(content, offset, cluster, SECTOR);
      if (sectors.every((sector) => sector === undefined)) continue;
      const bytes = Buffer.concat(sectors.map((sector) => sector ?? Buffer.alloc(SECTOR)));
      if (options.compressed === true && index % 2 === 0) {
        const packed =
          options.zstd === true ? zlib.zstdCompressSync(bytes) : zlib.deflateRawSync(bytes, { windowBits: 12 });
        const packedAt = push(packed);
        l2.writeBigUInt64BE(
          (1n << 62n) | (BigInt(Math.ceil(packed.length / SECTOR) - 1) << BigInt(70 - bits)) | BigInt(packedAt),
          index * entryBytes,
        );
        continue;
      }
      l2.writeBigUInt64BE(BigInt(push(bytes)) | (1n << 63n), index * entryBytes);
      // 32 subclusters of one sector: those that the content does not have lie below.
      if (options.subclusters === true)
        l2.writeUInt32BE(
          sectors.reduce((set, sector, bit) => (sector === undefined ? set : (set | (1 << bit)) >>> 0), 0),
          index * entryBytes + 12,
        );
    }
  }
  return Buffer.concat([head, l1, ...parts]);
}

export interface VmdkOptions {
  readonly cid?: string;
  readonly parent?: { readonly cid: string; readonly name: string };
  /** Compressed grains, with a footer. */
  readonly stream?: boolean;
  /** Unset: a descriptor of its own. */
  readonly withoutDescriptor?: boolean;
}

/** A hosted sparse VMDK with grains of 4 KiB. */
export function buildVmdk(
  content: Content,
  { cid = '00000001', parent, stream = false, withoutDescriptor = false }: VmdkOptions = {},
): Buffer {
  const grain = 8 * SECTOR;
  const perTable = 512;
  const tables = Math.ceil(content.sizeBytes / (grain * perTable));
  const descriptor = Buffer.alloc(2 * SECTOR);
  descriptor.write(
    vmdkDescriptor([`RW ${content.sizeBytes / SECTOR} SPARSE "self.vmdk"`], {
      cid,
      ...(parent === undefined ? {} : { parent }),
    }),
    'latin1',
  );
  const parts: Buffer[] = [];
  let at = 3 * SECTOR;
  const push = (bytes: Buffer) => {
    const padded = bytes.length % SECTOR === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(-bytes.length & 511)]);
    parts.push(padded);
    at += padded.length;
    return (at - padded.length) / SECTOR;
  };
  const directory = Buffer.alloc(Math.ceil((tables * 4) / SECTOR) * SECTOR);
  let directoryAt = stream ? 0 : push(directory);
  for (let table = 0; table < tables; table++) {
    const entries = Buffer.alloc(perTable * 4);
    const tableAt = stream ? undefined : push(entries);
    for (let index = 0; index < perTable; index++) {
      const offset = (table * perTable + index) * grain;
      const sectors = sectorsOf(content, offset, grain, SECTOR);
      if (sectors.every((sector) => sector === undefined)) continue;
      const bytes = Buffer.concat(sectors.map((sector) => sector ?? Buffer.alloc(SECTOR)));
      const marker = Buffer.alloc(12);
      const packed = zlib.deflateSync(bytes);
      marker.writeBigUInt64LE(BigInt(offset / SECTOR));
      marker.writeUInt32LE(packed.length, 8);
      entries.writeUInt32LE(push(stream ? Buffer.concat([marker, packed]) : bytes), index * 4);
    }
    directory.writeUInt32LE(tableAt ?? push(entries), table * 4);
  }
  if (stream) directoryAt = push(directory);
  const head = (directoryOffset: bigint) => {
    const bytes = Buffer.alloc(SECTOR);
    bytes.write('KDMV', 0, 'latin1');
    bytes.writeUInt32LE(stream ? 3 : 1, 4);
    bytes.writeUInt32LE(stream ? 0x30001 : 1, 8);
    bytes.writeBigUInt64LE(BigInt(content.sizeBytes / SECTOR), 12);
    bytes.writeBigUInt64LE(8n, 20);
    bytes.writeBigUInt64LE(withoutDescriptor ? 0n : 1n, 28);
    bytes.writeBigUInt64LE(withoutDescriptor ? 0n : 2n, 36);
    bytes.writeUInt32LE(perTable, 44);
    bytes.writeBigUInt64LE(directoryOffset, 56);
    bytes.writeUInt16LE(stream ? 1 : 0, 77);
    return bytes;
  };
  if (!stream) return Buffer.concat([head(BigInt(directoryAt)), descriptor, ...parts]);
  const footerMarker = Buffer.alloc(SECTOR);
  footerMarker.writeBigUInt64LE(1n, 0);
  footerMarker.writeUInt32LE(3, 12);
  return Buffer.concat([
    head(0xffffffffffffffffn),
    descriptor,
    ...parts,
    footerMarker,
    head(BigInt(directoryAt)),
    Buffer.alloc(SECTOR),
  ]);
}

/** The text of a VMDK descriptor with these lines of extents. */
export function vmdkDescriptor(
  extents: readonly string[],
  {
    cid = '00000001',
    parent,
    createType = 'custom',
  }: { readonly cid?: string; readonly parent?: VmdkOptions['parent']; readonly createType?: string } = {},
): string {
  const lines = [
    '# Disk DescriptorFile',
    'version=1',
    'encoding="UTF-8"',
    `CID=${cid}`,
    `parentCID=${parent?.cid ?? 'ffffffff'}`,
    `createType="${createType}"`,
  ];
  if (parent !== undefined) lines.push(`parentFileNameHint="${parent.name}"`);
  return [
    ...lines,
    '',
    '# Extent description',
    ...extents,
    '',
    '# The Disk Data Base',
    '#DDB',
    '',
    'ddb.adapterType = "lsilogic"',
    '',
  ].join('\n');
}

/** A sparse extent of ESXi's VMFS ("COWD") with grains of one sector. */
export function buildRedoExtent(content: Content): Buffer {
  const perTable = 4096;
  const tables = Math.ceil(content.sizeBytes / (SECTOR * perTable));
  const head = Buffer.alloc(4 * SECTOR);
  head.write('COWD', 0, 'latin1');
  head.writeUInt32LE(1, 4);
  head.writeUInt32LE(3, 8);
  head.writeUInt32LE(content.sizeBytes / SECTOR, 12);
  head.writeUInt32LE(1, 16);
  head.writeUInt32LE(4, 20);
  head.writeUInt32LE(tables, 24);
  const directory = Buffer.alloc(Math.ceil((tables * 4) / SECTOR) * SECTOR);
  const parts: Buffer[] = [];
  let at = head.length + directory.length;
  const push = (bytes: Buffer) => {
    parts.push(bytes);
    at += bytes.length;
    return (at - bytes.length) / SECTOR;
  };
  for (let table = 0; table < tables; table++) {
    const entries = Buffer.alloc(perTable * 4);
    directory.writeUInt32LE(push(entries), table * 4);
    for (const [index, sector] of sectorsOf(content, table * perTable * SECTOR, perTable * SECTOR, SECTOR).entries()) {
      if (sector !== undefined) entries.writeUInt32LE(push(sector), index * 4);
    }
  }
  return Buffer.concat([head, directory, ...parts]);
}

/** A dynamic VDI with blocks of 16 KiB. */
export function buildVdi(content: Content): Buffer {
  const block = 16 * 1024;
  const blocks = Math.ceil(content.sizeBytes / block);
  const head = Buffer.alloc(512);
  head.writeUInt32LE(0xbeda107f, 0x40);
  head.writeUInt32LE(0x00010001, 0x44);
  head.writeUInt32LE(1, 0x4c);
  const map = Buffer.alloc(Math.ceil((blocks * 4) / 512) * 512, 0xff);
  head.writeUInt32LE(512, 0x154);
  head.writeUInt32LE(512 + map.length, 0x158);
  head.writeBigUInt64LE(BigInt(content.sizeBytes), 0x170);
  head.writeUInt32LE(block, 0x178);
  head.writeUInt32LE(blocks, 0x180);
  const data: Buffer[] = [];
  for (let index = 0; index < blocks; index++) {
    const sectors = sectorsOf(content, index * block, block, SECTOR);
    if (sectors.every((sector) => sector === undefined)) continue;
    map.writeUInt32LE(data.length, index * 4);
    data.push(Buffer.concat(sectors.map((sector) => sector ?? Buffer.alloc(SECTOR))));
  }
  return Buffer.concat([head, map, ...data]);
}
