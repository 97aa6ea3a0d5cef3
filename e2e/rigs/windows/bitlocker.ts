import { createCipheriv, createDecipheriv, createHash, hash, randomBytes } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

const sector = 512;
const blockSize = 65_536;
/** The beginning of the volume is kept elsewhere, because it is replaced. */
const headerSize = 8192;
const mib = 2 ** 20;

/** A recovery key as Windows shows it: eight groups, each divisible by 11. */
export function recoveryKeyOf(seed: string): string {
  const digest = createHash('sha256').update(seed).digest();
  return Array.from({ length: 8 }, (_, index) => String(digest.readUInt16LE(index * 2) * 11).padStart(6, '0')).join(
    '-',
  );
}

/**
 * Encrypts a part of a disk in place as BitLocker does (AES-XTS of 128 bits), with a recovery key as the only protector, or a clear key beside it. Its
 * metadata go to three places where the volume is empty. Returns the key that its sectors are encrypted with.
 */
export async function encryptAsBitLocker(
  disk: string,
  start: number,
  size: number,
  recoveryKey: string,
  options: { readonly isSuspended?: boolean } = {},
): Promise<Buffer> {
  const file = await open(disk, 'r+');
  try {
    const volumeKey = randomBytes(32);
    const free = await emptyPlaces(file, start, size);
    const headerOffset = Number(free[0]) + blockSize;
    const head = await read(file, start, headerSize);
    for (let at = 0; at < size; at += mib) {
      const piece = await read(file, start + at, Math.min(mib, size - at));
      await file.write(encrypted(piece, at / sector, volumeKey), 0, piece.length, start + at);
    }
    await file.write(encrypted(head, headerOffset / sector, volumeKey), 0, headerSize, start + headerOffset);
    const boot = Buffer.from(head.subarray(0, sector));
    boot.write('\xeb\x58\x90-FVE-FS-', 0, 'latin1');
    Buffer.from('3bd66749292ed84a8399f6a339e3d001', 'hex').copy(boot, 160);
    free.forEach((offset, index) => boot.writeBigUInt64LE(BigInt(offset), 176 + 8 * index));
    await file.write(boot, 0, sector, start);
    const metadata = metadataOf(size, recoveryKey, volumeKey, free, headerOffset, options.isSuspended === true);
    for (const offset of free) await file.write(metadata, 0, metadata.length, start + offset);
    return volumeKey;
  } finally {
    await file.close();
  }
}

/** The same volume without encryption, in place. */
export async function decryptBitLocker(disk: string, start: number, size: number, volumeKey: Buffer): Promise<void> {
  const file = await open(disk, 'r+');
  try {
    const boot = await read(file, start, sector);
    const places = [176, 184, 192].map((at) => Number(boot.readBigUInt64LE(at)));
    const headerOffset = Number((await read(file, start + places[0]!, 64)).readBigUInt64LE(56));
    const head = decrypted(await read(file, start + headerOffset, headerSize), headerOffset / sector, volumeKey);
    for (let at = 0; at < size; at += mib) {
      const piece = await read(file, start + at, Math.min(mib, size - at));
      await file.write(decrypted(piece, at / sector, volumeKey), 0, piece.length, start + at);
    }
    await file.write(head, 0, headerSize, start);
    // Windows sees these places as empty.
    for (const offset of places) await file.write(Buffer.alloc(blockSize), 0, blockSize, start + offset);
    await file.write(Buffer.alloc(headerSize), 0, headerSize, start + headerOffset);
  } finally {
    await file.close();
  }
}

async function emptyPlaces(file: FileHandle, start: number, size: number): Promise<readonly number[]> {
  const found: number[] = [];
  // Windows has files there, so that nothing else is written to these places. At the end, where nothing is written soon, none are needed.
  for (let at = Math.floor(size / mib) * mib - 2 * mib; at >= mib && found.length < 3; at -= 4 * mib) {
    if ((await read(file, start + at, blockSize + headerSize)).every((byte) => byte === 0)) found.push(at);
  }
  if (found.length < 3) throw new Error('the volume has no room for the metadata of BitLocker');
  return found;
}

async function read(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  await file.read(bytes, 0, length, at);
  return bytes;
}

/** Each sector by its place; the beginning by that of its copy. */
function bySector(bytes: Buffer, first: number, work: (tweak: Buffer, sector: Buffer) => Buffer): Buffer {
  const out = Buffer.alloc(bytes.length);
  const tweak = Buffer.alloc(16);
  for (let at = 0; at < bytes.length; at += sector) {
    tweak.writeBigUInt64LE(BigInt(first + at / sector));
    work(tweak, bytes.subarray(at, at + sector)).copy(out, at);
  }
  return out;
}

const encrypted = (plain: Buffer, first: number, key: Buffer): Buffer =>
  bySector(plain, first, (tweak, one) => createCipheriv('aes-128-xts', key, tweak).update(one));
const decrypted = (bytes: Buffer, first: number, key: Buffer): Buffer =>
  bySector(bytes, first, (tweak, one) => createDecipheriv('aes-128-xts', key, tweak).update(one));

function metadataOf(
  size: number,
  recoveryKey: string,
  volumeKey: Buffer,
  places: readonly number[],
  headerOffset: number,
  isSuspended: boolean,
): Buffer {
  const masterKey = randomBytes(32);
  const salt = randomBytes(16);
  const stretched = entry(0, 3, Buffer.concat([u32(0x1000), salt]));
  const master = entry(
    2,
    8,
    Buffer.concat([
      randomBytes(16),
      Buffer.alloc(8),
      u16(0),
      u16(0x0800),
      stretched,
      entry(0, 5, sealed(stretch(recoveryKey, salt), keyDatum(masterKey, 0x2003))),
    ]),
  );
  // While protection is suspended, the master key stands beside it under a key that anybody can read.
  const clearKey = randomBytes(32);
  const clear = entry(
    2,
    8,
    Buffer.concat([
      randomBytes(16),
      Buffer.alloc(8),
      u16(0),
      u16(0),
      entry(0, 1, Buffer.concat([u32(0x2003), clearKey])),
      entry(0, 5, sealed(clearKey, keyDatum(masterKey, 0x2003))),
    ]),
  );
  const entries = Buffer.concat([
    master,
    ...(isSuspended ? [clear] : []),
    entry(3, 5, sealed(masterKey, keyDatum(volumeKey, 0x8004))),
    entry(0xf, 0xf, Buffer.concat([u64(headerOffset), u64(headerSize)])),
  ]);
  const length = 48 + entries.length;
  const units = Math.ceil((64 + length) / 16);
  const block = Buffer.alloc(units * 16);
  Buffer.concat([
    Buffer.from('-FVE-FS-'),
    u16(units),
    u16(2),
    u16(4),
    u16(4),
    u64(size),
    u32(0),
    u32(headerSize / sector),
    ...places.map(u64),
    u64(headerOffset),
    u32(length),
    u32(1),
    u32(48),
    u32(length),
    randomBytes(16),
    u32(9),
    u16(0x8004),
    u16(0),
    u64(0x1d5000000000000),
    entries,
  ]).copy(block);
  const digest = Buffer.concat([
    u16(44),
    u16(0),
    u16(1),
    u16(1),
    u16(0x2005),
    u16(0),
    createHash('sha256').update(block).digest(),
  ]);
  const nested = Buffer.concat([u16(80), u16(0), u16(5), u16(1), sealed(masterKey, digest)]);
  return Buffer.concat([block, u16(8 + nested.length), u16(2), u32(crc32(block)), nested]);
}

/** What makes guessing dear: a million digests. */
function stretch(recoveryKey: string, salt: Buffer): Buffer {
  const parts = Buffer.concat(recoveryKey.split('-').map((part) => u16(Number(part) / 11)));
  const state = Buffer.concat([Buffer.alloc(32), createHash('sha256').update(parts).digest(), salt, Buffer.alloc(8)]);
  for (let count = 0; count < 0x100000; count += 1) {
    state.writeUInt32LE(count, 80);
    // As text, which is four times as fast as a buffer for each.
    state.write(hash('sha256', state, 'binary'), 0, 'latin1');
  }
  return state.subarray(0, 32);
}

const keyDatum = (key: Buffer, method: number): Buffer =>
  Buffer.concat([u16(12 + key.length), u16(0), u16(1), u16(1), u32(method), key]);

function sealed(key: Buffer, content: Buffer): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-ccm', key, nonce, { authTagLength: 16 });
  const data = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), data]);
}

const entry = (type: number, value: number, data: Buffer): Buffer =>
  Buffer.concat([u16(8 + data.length), u16(type), u16(value), u16(1), data]);

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
