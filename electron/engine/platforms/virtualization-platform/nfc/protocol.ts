import { CausewayError } from '../../../../../shared/model/causeway-error.ts';

/** Messages of a fixed size that open and end a session. */
export const Classic = {
  complete: 4,
  error: 20,
  parameters: 33,
  parametersReply: 36,
  token: 43,
  version: 51,
  aioOpen: 52,
  connection: 54,
  features: 55,
} as const;

export const CLASSIC_BYTES = 264;

/** Messages of the asynchronous session. */
export const Aio = {
  error: 1,
  openSession: 2,
  closeSession: 3,
  openFile: 4,
  closeFile: 5,
  io: 7,
  socketOptions: 9,
  descriptorGet: 11,
  allocatedBlocks: 13,
  resourcePool: 22,
} as const;

export const AIO_MAGIC = 0xa100da7a;
export const AIO_HEAD = 16;
export const IO_BYTES = 44;
export const OPEN_FILE_BYTES = 60;
export const SECTOR = 512;

/** How the bytes of a fragment are packed. */
export const Compression = { none: 0, zlib: 1, fastlz: 2, skipz: 3 } as const;
export type CompressionType = (typeof Compression)[keyof typeof Compression];

/** The version that this client speaks, as ESXi 8 does. */
export const CLIENT_VERSION = 11;

/** A number of 64 bits at a place where no more than 53 make sense; what is larger becomes 2^53. */
export function readSize(bytes: Buffer, at: number): number {
  return Math.min(2 ** 53, bytes.readUInt32LE(at + 4) * 2 ** 32 + bytes.readUInt32LE(at));
}

export function writeSize(bytes: Buffer, value: number, at: number): void {
  bytes.writeUInt32LE(value % 2 ** 32, at);
  bytes.writeUInt32LE(Math.floor(value / 2 ** 32), at + 4);
}

export function classicMessage(type: number, ...words: readonly number[]): Buffer {
  const message = Buffer.alloc(CLASSIC_BYTES);
  message.writeUInt32LE(type, 0);
  words.forEach((word, index) => message.writeUInt32LE(word, 4 + 4 * index));
  return message;
}

export function tokenMessage(token: string): Buffer {
  const message = classicMessage(Classic.token);
  message.write(token, 4, 'ascii');
  return message;
}

export function connectionMessage(name: string, operation: string): Buffer {
  const message = classicMessage(Classic.connection, name.length, operation.length);
  return Buffer.concat([message, Buffer.from(name + operation, 'ascii')]);
}

function aioMessage(type: number, opId: number, payloadBytes: number, extra: string = ''): Buffer {
  const text = Buffer.from(extra, 'utf8');
  const message = Buffer.alloc(AIO_HEAD + payloadBytes + text.length);
  message.writeUInt32LE(AIO_MAGIC, 0);
  message.writeUInt32LE(type, 4);
  message.writeUInt32LE(payloadBytes, 8);
  message.writeUInt32LE(opId, 12);
  text.copy(message, AIO_HEAD + payloadBytes);
  return message;
}

export function openSessionMessage(opId: number, bufferBytes: number, bufferCount: number): Buffer {
  const message = aioMessage(Aio.openSession, opId, 16);
  message.writeUInt32LE(bufferBytes, 20);
  message.writeUInt32LE(bufferCount, 24);
  return message;
}

export const socketOptionsMessage = (opId: number): Buffer => aioMessage(Aio.socketOptions, opId, 12);

export function resourcePoolMessage(opId: number): Buffer {
  const message = aioMessage(Aio.resourcePool, opId, 4);
  message.writeUInt32LE(1, 16);
  return message;
}

const DISK = 2;
const READ_ONLY = 0x1e;

export function openFileMessage(opId: number, path: string): Buffer {
  const message = aioMessage(Aio.openFile, opId, OPEN_FILE_BYTES, path);
  message.writeUInt32LE(Buffer.byteLength(path), 16);
  message.writeUInt32LE(DISK, 32);
  message.writeUInt32LE(READ_ONLY, 36);
  return message;
}

/** An open disk as the host describes it. `handle` is opaque: eight bytes that go back as they came. */
export interface OpenDisk {
  readonly handle: Buffer;
  readonly sizeBytes: number;
}

export function parseOpenReply(payload: Buffer): OpenDisk {
  const status = readSize(payload, 0);
  if (status !== 0) throw violation(`the disk was opened with status ${status}`);
  if (payload.readUInt32LE(16) !== DISK)
    throw violation(`a file of type ${payload.readUInt32LE(16)} was opened instead of a disk`);
  const sizeBytes = readSize(payload, 28);
  if (sizeBytes === 0 || sizeBytes > Number.MAX_SAFE_INTEGER || sizeBytes % SECTOR !== 0)
    throw violation(`a disk of ${sizeBytes} bytes`);
  return { handle: Buffer.from(payload.subarray(8, 16)), sizeBytes };
}

export function readMessage(opId: number, handle: Buffer, compression: number, offset: number, length: number): Buffer {
  const message = aioMessage(Aio.io, opId, IO_BYTES);
  handle.copy(message, 16);
  message.writeUInt32LE(1, 24);
  message.writeUInt32LE(compression, 28);
  writeSize(message, offset, 32);
  writeSize(message, length, 40);
  message.writeUInt32LE(length, 48);
  message.writeUInt32LE(length, 52);
  return message;
}

export const BLOCK_BYTES = 65_536;
/** Blocks per query: the most that the vendor's library allows. */
export const MAX_BLOCKS = 524_288;
export const bitmapBytes = (blocks: number): number => Math.ceil(blocks / 32) * 4;

export function allocatedBlocksMessage(opId: number, handle: Buffer, startByte: number, blocks: number): Buffer {
  const message = aioMessage(Aio.allocatedBlocks, opId, 48);
  handle.copy(message, 16);
  writeSize(message, BLOCK_BYTES, 32);
  writeSize(message, startByte, 40);
  writeSize(message, blocks, 48);
  return message;
}

/** Blocks of 64 KiB as runs: [first block, count, allocated]. */
export function* blockRuns(
  bitmap: Uint8Array,
  blocks: number,
): Generator<readonly [number, number, boolean], void, undefined> {
  const isSet = (block: number): boolean => (((bitmap[block >> 3] ?? 0) >> (block & 7)) & 1) === 1;
  for (let start = 0; start < blocks;) {
    const value = isSet(start);
    let end = start + 1;
    while (end < blocks && isSet(end) === value) end += 1;
    yield [start, end - start, value];
    start = end;
  }
}

export function descriptorGetMessage(opId: number, handle: Buffer, key: string): Buffer {
  const message = aioMessage(Aio.descriptorGet, opId, 16, key);
  handle.copy(message, 16);
  message.writeUInt32LE(Buffer.byteLength(key), 24);
  return message;
}

export function closeFileMessage(opId: number, handle: Buffer): Buffer {
  const message = aioMessage(Aio.closeFile, opId, 8);
  handle.copy(message, 16);
  return message;
}

export const closeSessionMessage = (opId: number): Buffer => aioMessage(Aio.closeSession, opId, 4);

/** What the host sent breaks the protocol: nothing after it can be trusted. */
export function violation(what: string): CausewayError {
  return new CausewayError('source.protocol', `data port of the host: ${what}`);
}

/** A host's text as part of a message: printable and short. */
export function hostText(bytes: Buffer | string): string {
  return bytes
    .toString('utf8')
    .slice(0, 300)
    .replace(/[^\x20-\x7e]/g, '?')
    .trim();
}
