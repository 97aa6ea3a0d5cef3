import { crc32 } from 'node:zlib';
import { CausewayError } from '../../../shared/model/causeway-error.ts';

/**
 * The frame of the worker agent's protocol; `assets/worker/PROTOCOL.md` documents it to the byte, and a test holds that
 * document against the tables of this file. Integers are big-endian.
 */
export const protocolVersion = 1;
export const headBytes = 48;
export const maxPayloadBytes = 4 * 1024 * 1024;
/** "CSWY" */
export const magic = 0x43535759;

export const requestTypes = {
  HELLO: 1,
  PING: 2,
  DEVICES: 3,
  OPEN: 4,
  WRITE: 5,
  ZERO: 6,
  FLUSH: 7,
  DIGEST: 8,
  CLOSE: 9,
  END: 10,
  READ: 11,
  RECALL: 12,
} as const;

export const frameFlags = { ANSWER: 1, DEFLATED: 2, CHECKED: 4, ZSTD: 8 } as const;

export const statuses = {
  OK: 0,
  BAD_FRAME: 1,
  BAD_REQUEST: 2,
  OUT_OF_RANGE: 3,
  NOT_ALLOWED: 4,
  IN_USE: 5,
  NO_DEVICE: 6,
  IO_ERROR: 7,
  DURABILITY_LOST: 8,
  LOGIN_FAILED: 9,
} as const;

/** Where each field of the head stands: offset and size in bytes. */
export const headFields = {
  magic: { at: 0, size: 4 },
  version: { at: 4, size: 1 },
  type: { at: 5, size: 1 },
  flags: { at: 6, size: 2 },
  request: { at: 8, size: 4 },
  volume: { at: 12, size: 4 },
  offset: { at: 16, size: 8 },
  length: { at: 24, size: 8 },
  payloadLength: { at: 32, size: 4 },
  argument: { at: 36, size: 4 },
  payloadChecksum: { at: 40, size: 4 },
  headChecksum: { at: 44, size: 4 },
} as const;

export type RequestType = keyof typeof requestTypes;

export interface FrameHead {
  /** One of `requestTypes`. */
  readonly type: number;
  readonly flags: number;
  /** Chosen by the caller, repeated by the answer. Unique among the requests that a connection waits for. */
  readonly request: number;
  readonly volume: number;
  /** Bytes from the volume's start. */
  readonly offset: number;
  /** Bytes of the volume that are meant; an answer to OPEN says the volume's size with it. */
  readonly length: number;
  readonly payloadLength: number;
  /** Request: block size in bytes for DIGEST and RECALL, 0 otherwise. Answer: the status. */
  readonly argument: number;
  /** CRC-32 of the payload as it crosses the link; 0 without the flag CHECKED. */
  readonly payloadChecksum: number;
}

/** Writes a head with its checksum into `into` (at least 48 bytes). */
export function encodeHead(head: FrameHead, into: Buffer): void {
  into.writeUInt32BE(magic, headFields.magic.at);
  into[headFields.version.at] = protocolVersion;
  into[headFields.type.at] = head.type;
  into.writeUInt16BE(head.flags, headFields.flags.at);
  into.writeUInt32BE(head.request, headFields.request.at);
  into.writeUInt32BE(head.volume, headFields.volume.at);
  writeUint64(into, head.offset, headFields.offset.at);
  writeUint64(into, head.length, headFields.length.at);
  into.writeUInt32BE(head.payloadLength, headFields.payloadLength.at);
  into.writeUInt32BE(head.argument, headFields.argument.at);
  into.writeUInt32BE(head.payloadChecksum, headFields.payloadChecksum.at);
  into.writeUInt32BE(crc32(into.subarray(0, headFields.headChecksum.at)), headFields.headChecksum.at);
}

/** Reads a head. Throws `transport.protocol` when it is damaged, of another version, or announces too long a payload. */
export function decodeHead(from: Buffer): FrameHead {
  if (from.readUInt32BE(headFields.magic.at) !== magic) {
    throw new CausewayError(
      'transport.protocol',
      `a frame starts with ${from.toString('hex', 0, 4)} instead of its mark`,
    );
  }
  if (crc32(from.subarray(0, headFields.headChecksum.at)) !== from.readUInt32BE(headFields.headChecksum.at)) {
    throw new CausewayError('transport.protocol', 'the header of a frame does not match its checksum');
  }
  if (from[headFields.version.at] !== protocolVersion) {
    throw new CausewayError(
      'transport.protocol',
      `a frame is of version ${from[headFields.version.at]}, not ${protocolVersion}`,
    );
  }
  const payloadLength = from.readUInt32BE(headFields.payloadLength.at);
  if (payloadLength > maxPayloadBytes) {
    throw new CausewayError(
      'transport.protocol',
      `a frame announces ${payloadLength} bytes, more than ${maxPayloadBytes}`,
    );
  }
  return {
    type: from[headFields.type.at] ?? 0,
    flags: from.readUInt16BE(headFields.flags.at),
    request: from.readUInt32BE(headFields.request.at),
    volume: from.readUInt32BE(headFields.volume.at),
    offset: readUint64(from, headFields.offset.at),
    length: readUint64(from, headFields.length.at),
    payloadLength,
    argument: from.readUInt32BE(headFields.argument.at),
    payloadChecksum: from.readUInt32BE(headFields.payloadChecksum.at),
  };
}

/** Throws `transport.protocol` when a payload does not match the checksum of its head. */
export function checkPayload(head: FrameHead, payload: Uint8Array): void {
  if ((head.flags & frameFlags.CHECKED) !== 0 && crc32(payload) !== head.payloadChecksum) {
    throw new CausewayError('transport.protocol', `the payload of frame ${head.request} does not match its checksum`);
  }
}

// Offsets stay below 2^53 bytes (8 PiB): two 32-bit halves are exact, and much cheaper than a BigInt for each frame.
function writeUint64(into: Buffer, value: number, at: number): void {
  into.writeUInt32BE(Math.floor(value / 0x1_0000_0000), at);
  into.writeUInt32BE(value % 0x1_0000_0000, at + 4);
}

function readUint64(from: Buffer, at: number): number {
  return from.readUInt32BE(at) * 0x1_0000_0000 + from.readUInt32BE(at + 4);
}
