import type { FileHandle } from 'node:fs/promises';
import { crc32c } from '../crc32c.ts';

const KIB = 1024;
const SECTOR = 4 * KIB;
const LOG_ID = Buffer.from('00112233445566778899aabbccddeeff', 'hex');

/**
 * Makes a VHDX look as after a crash: the first sector of its block table is only in the log, in its newest of two
 * entries; the first entry zeroes it, and an older sequence with other content is in the log, too.
 */
export async function makeLogDirty(file: FileHandle): Promise<void> {
  const read = async (at: number, length: number) => {
    const bytes = Buffer.alloc(length);
    await file.read(bytes, 0, length, at);
    return bytes;
  };
  const headers = await Promise.all([64 * KIB, 128 * KIB].map((at) => read(at, SECTOR)));
  const current = headers.reduce((one, other) => (other.readBigUInt64LE(8) > one.readBigUInt64LE(8) ? other : one));
  const regions = await read(192 * KIB, 64 * KIB);
  const batEntry = [0, 1].map((index) => 16 + index * 32).find((at) => regions.readUInt32LE(at) === 0x2dc27766) ?? 16;
  const batAt = Number(regions.readBigUInt64LE(batEntry + 16));
  const bat = await read(batAt, SECTOR);
  const size = BigInt((await file.stat()).size);
  const logAt = Number(current.readBigUInt64LE(72));
  await file.write(
    logEntry({ sequence: 3n, tail: 0, size, target: batAt, content: Buffer.alloc(SECTOR, 0xff) }),
    0,
    undefined,
    logAt,
  );
  await file.write(logEntry({ sequence: 7n, tail: 4 * SECTOR, size, target: batAt }), 0, undefined, logAt + 4 * SECTOR);
  await file.write(
    logEntry({ sequence: 8n, tail: 4 * SECTOR, size, target: batAt, content: bat }),
    0,
    undefined,
    logAt + 5 * SECTOR,
  );
  await file.write(Buffer.alloc(SECTOR, 0xaa), 0, SECTOR, batAt);
  // Both headers, so that the newer one is found whichever it is.
  for (const [index, at] of [64 * KIB, 128 * KIB].entries()) {
    const header = Buffer.from(current);
    header.writeBigUInt64LE(current.readBigUInt64LE(8) + BigInt(index) + 1n, 8);
    LOG_ID.copy(header, 48);
    header.writeUInt32LE(0, 4);
    header.writeUInt32LE(crc32c(header, 4), 4);
    await file.write(header, 0, SECTOR, at);
  }
}

/** An entry with one descriptor: a sector of data, or zeros over a sector where there is no `content`. */
export function logEntry(entry: {
  readonly sequence: bigint;
  readonly tail: number;
  readonly size: bigint;
  readonly target: number;
  readonly content?: Buffer;
  readonly id?: Buffer;
}): Buffer {
  const { sequence, content } = entry;
  const bytes = Buffer.alloc(content === undefined ? SECTOR : 2 * SECTOR);
  bytes.write('loge', 0, 'latin1');
  bytes.writeUInt32LE(bytes.length, 8);
  bytes.writeUInt32LE(entry.tail, 12);
  bytes.writeBigUInt64LE(sequence, 16);
  bytes.writeUInt32LE(1, 24);
  (entry.id ?? LOG_ID).copy(bytes, 32);
  bytes.writeBigUInt64LE(entry.size, 48);
  bytes.writeBigUInt64LE(entry.size, 56);
  bytes.write(content === undefined ? 'zero' : 'desc', 64, 'latin1');
  bytes.writeBigUInt64LE(BigInt(entry.target), 80);
  bytes.writeBigUInt64LE(sequence, 88);
  if (content === undefined) bytes.writeBigUInt64LE(BigInt(SECTOR), 72);
  else {
    content.copy(bytes, 68, SECTOR - 4);
    content.copy(bytes, 72, 0, 8);
    bytes.write('data', SECTOR, 'latin1');
    bytes.writeUInt32LE(Number(sequence >> 32n), SECTOR + 4);
    content.copy(bytes, SECTOR + 8, 8, SECTOR - 4);
    bytes.writeUInt32LE(Number(sequence & 0xffffffffn), 2 * SECTOR - 4);
  }
  bytes.writeUInt32LE(crc32c(bytes, 4), 4);
  return bytes;
}
