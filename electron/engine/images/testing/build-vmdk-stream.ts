import { promisify } from 'node:util';
import zlib from 'node:zlib';

/** A disk to write. */
export interface DiskBytes {
  readonly sizeBytes: number;
  read(offset: number, length: number): Promise<Buffer>;
}

const deflate = promisify<Buffer, Buffer>(zlib.deflate);
const SECTOR = 512;
const GRAIN = 65_536;
const PER_TABLE = 512;
const OVERHEAD = 128;
const ZEROS = Buffer.alloc(GRAIN);
const AT_END = 0xffffffffffffffffn;

/** Writes a disk as a stream-optimized VMDK, as a host exports it: grains in order, tables after them, nothing sought. */
export async function* streamOptimized(disk: DiskBytes): AsyncGenerator<Buffer, void, undefined> {
  const descriptor = Buffer.from(
    [
      '# Disk DescriptorFile',
      'version=1',
      'CID=7a3b1c2d',
      'parentCID=ffffffff',
      'createType="streamOptimized"',
      '',
      `RDONLY ${disk.sizeBytes / SECTOR} SPARSE "disk.vmdk"`,
      '',
      'ddb.adapterType = "lsilogic"',
      'ddb.virtualHWVersion = "19"',
      '',
    ].join('\n'),
  );
  const head = Buffer.alloc(OVERHEAD * SECTOR);
  header(disk.sizeBytes, Math.ceil(descriptor.length / SECTOR), AT_END).copy(head);
  descriptor.copy(head, SECTOR);
  yield head;
  let at = OVERHEAD;
  const directory: number[] = [];
  for (let table = 0; table * PER_TABLE * GRAIN < disk.sizeBytes; table++) {
    const entries = Buffer.alloc(PER_TABLE * 4);
    for (let index = 0; index < PER_TABLE; index++) {
      const offset = (table * PER_TABLE + index) * GRAIN;
      if (offset >= disk.sizeBytes) break;
      const bytes = Buffer.alloc(GRAIN);
      (await disk.read(offset, Math.min(GRAIN, disk.sizeBytes - offset))).copy(bytes);
      if (bytes.equals(ZEROS)) continue;
      const packed = await deflate(bytes);
      const grain = Buffer.alloc(Math.ceil((12 + packed.length) / SECTOR) * SECTOR);
      grain.writeBigUInt64LE(BigInt(offset / SECTOR), 0);
      grain.writeUInt32LE(packed.length, 8);
      packed.copy(grain, 12);
      entries.writeUInt32LE(at, index * 4);
      yield grain;
      at += grain.length / SECTOR;
    }
    if (entries.every((byte) => byte === 0)) {
      directory.push(0);
      continue;
    }
    yield Buffer.concat([marker(entries.length / SECTOR, 1), entries]);
    directory.push(at + 1);
    at += 1 + entries.length / SECTOR;
  }
  const gd = Buffer.alloc(Math.ceil((directory.length * 4) / SECTOR) * SECTOR);
  directory.forEach((entry, index) => gd.writeUInt32LE(entry, index * 4));
  yield Buffer.concat([marker(gd.length / SECTOR, 2), gd]);
  const directoryAt = BigInt(at + 1);
  yield Buffer.concat([
    marker(1, 3),
    header(disk.sizeBytes, Math.ceil(descriptor.length / SECTOR), directoryAt),
    marker(0, 0),
  ]);
}

/** The whole stream of a small disk. */
export async function wholeStream(disk: DiskBytes): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of streamOptimized(disk)) parts.push(part);
  return Buffer.concat(parts);
}

function header(sizeBytes: number, descriptorSectors: number, directoryAt: bigint): Buffer {
  const head = Buffer.alloc(SECTOR);
  head.write('KDMV', 0, 'latin1');
  head.writeUInt32LE(3, 4);
  head.writeUInt32LE(0x30001, 8);
  head.writeBigUInt64LE(BigInt(sizeBytes / SECTOR), 12);
  head.writeBigUInt64LE(BigInt(GRAIN / SECTOR), 20);
  head.writeBigUInt64LE(1n, 28);
  head.writeBigUInt64LE(BigInt(descriptorSectors), 36);
  head.writeUInt32LE(PER_TABLE, 44);
  head.writeBigUInt64LE(directoryAt, 56);
  head.writeBigUInt64LE(BigInt(OVERHEAD), 64);
  head.write('\n \r\n', 73, 'latin1');
  head.writeUInt16LE(1, 77);
  return head;
}

function marker(sectors: number, type: number): Buffer {
  const bytes = Buffer.alloc(SECTOR);
  bytes.writeBigUInt64LE(BigInt(sectors), 0);
  bytes.writeUInt32LE(type, 12);
  return bytes;
}
