/**
 * What the stand-in says, written from the description of the protocol and not from the client's code: if both came from one
 * place, a mistake in it would go unnoticed.
 */
export const MAGIC = 0xa100da7a;

export function classic(type: number, fill: (message: Buffer) => void = () => undefined): Buffer {
  const message = Buffer.alloc(264);
  message.writeUInt32LE(type);
  fill(message);
  return message;
}

export function reply(type: number, opId: number, payload: Buffer, extra: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt32LE(MAGIC, 0);
  head.writeUInt32LE(type, 4);
  head.writeUInt32LE(payload.length, 8);
  head.writeUInt32LE(opId, 12);
  return Buffer.concat([head, payload, extra]);
}

export function errorReply(opId: number, code: number, text: string): Buffer {
  const payload = Buffer.alloc(16);
  payload.writeBigUInt64LE(BigInt(code), 0);
  payload.writeUInt32LE(Buffer.byteLength(text), 12);
  return reply(1, opId, payload, Buffer.from(text));
}

/** Opaque to clients; the top bits are set, as hosts set them. */
export const handleOf = (number: number): bigint => 0xffffffff_80000000n + BigInt(number);

export function openedReply(opId: number, handle: bigint, sizeBytes: number): Buffer {
  const payload = Buffer.alloc(60);
  payload.writeBigUInt64LE(handle, 8);
  payload.writeUInt32LE(2, 16);
  payload.writeUInt32LE(0x1e, 20);
  payload.writeBigUInt64LE(BigInt(sizeBytes), 28);
  payload.writeUInt32LE(512, 36);
  payload.writeUInt32LE(Math.floor(sizeBytes / (512 * 255 * 63)), 40);
  payload.writeUInt32LE(255, 44);
  payload.writeUInt32LE(63, 48);
  return reply(4, opId, payload);
}

export interface FragmentHead {
  readonly status?: number;
  readonly compression: number;
  readonly offset: number;
  readonly length: number;
  readonly place: number;
  readonly plain: number;
  readonly wire: number;
}

export function fragment(opId: number, head: FragmentHead, bytes: Buffer): Buffer {
  const payload = Buffer.alloc(44);
  payload.writeBigUInt64LE(BigInt(head.status ?? 0), 0);
  payload.writeUInt32LE(1, 8);
  payload.writeUInt32LE(head.compression, 12);
  payload.writeBigUInt64LE(BigInt(head.offset), 16);
  payload.writeUInt32LE(head.length, 24);
  payload.writeUInt32LE(head.place, 28);
  payload.writeUInt32LE(head.plain, 32);
  payload.writeUInt32LE(head.wire, 36);
  return reply(7, opId, payload, bytes);
}

export function blocksReply(opId: number, count: number, isAllocated: (block: number) => boolean): Buffer {
  const bitmap = Buffer.alloc(Math.ceil(Math.ceil(count / 8) / 4) * 4);
  for (let block = 0; block < count; block++) {
    if (isAllocated(block)) bitmap[Math.floor(block / 8)] = (bitmap[Math.floor(block / 8)] ?? 0) | (1 << (block % 8));
  }
  const payload = Buffer.alloc(48);
  payload.writeBigUInt64LE(BigInt(count), 32);
  return reply(13, opId, payload, bitmap);
}

export function descriptorReply(opId: number, value: string): Buffer {
  const payload = Buffer.alloc(16);
  payload.writeUInt32LE(value.length, 12);
  return reply(11, opId, payload, Buffer.from(value, 'ascii'));
}
