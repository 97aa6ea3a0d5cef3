/**
 * Numbers of the NBD protocol (fixed newstyle), named as the protocol document names them:
 * https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md
 */
export const NBDMAGIC = 0x4e42444d41474943n;
export const IHAVEOPT = 0x49484156454f5054n;
export const OPTION_REPLY_MAGIC = 0x0003e889045565a9n;
export const REQUEST_MAGIC = 0x25609513;
export const SIMPLE_REPLY_MAGIC = 0x67446698;
export const STRUCTURED_REPLY_MAGIC = 0x668e33ef;

export const HandshakeFlag = { fixedNewstyle: 1, noZeroes: 2 } as const;

export const Option = {
  abort: 2,
  list: 3,
  startTls: 5,
  go: 7,
  structuredReply: 8,
  setMetaContext: 10,
} as const;

export const OptionReply = {
  ack: 1,
  server: 2,
  info: 3,
  metaContext: 4,
  errorBit: 0x80000000,
  errUnsupported: 0x80000001,
  errPolicy: 0x80000002,
  errInvalid: 0x80000003,
  errPlatform: 0x80000004,
  errTlsRequired: 0x80000005,
  errUnknownExport: 0x80000006,
  errShutdown: 0x80000007,
  errBlockSizeRequired: 0x80000008,
  errTooBig: 0x80000009,
} as const;

export const Info = { export: 0, name: 1, description: 2, blockSize: 3 } as const;

export const TransmissionFlag = {
  readOnly: 1 << 1,
  sendFlush: 1 << 2,
  sendFua: 1 << 3,
  sendTrim: 1 << 5,
  sendWriteZeroes: 1 << 6,
  sendDf: 1 << 7,
  canMultiConn: 1 << 8,
} as const;

export const Command = {
  read: 0,
  write: 1,
  disconnect: 2,
  flush: 3,
  trim: 4,
  writeZeroes: 6,
  blockStatus: 7,
} as const;

export type CommandType = (typeof Command)[keyof typeof Command];

export const CommandFlag = { dontFragment: 4 } as const;

export const ChunkFlag = { done: 1 } as const;

export const Chunk = {
  none: 0,
  offsetData: 1,
  offsetHole: 2,
  blockStatus: 5,
  errorBit: 0x8000,
  error: 0x8001,
  errorOffset: 0x8002,
} as const;

export const StatusFlag = {
  /** base:allocation */
  hole: 1,
  zero: 2,
  /** qemu:dirty-bitmap:… */
  dirty: 1,
} as const;

/** Longest string that the protocol allows (export name, context name, error text). */
export const MAX_STRING = 4096;

const errorNames: Readonly<Record<number, string>> = {
  1: 'EPERM: not permitted (read-only export?)',
  5: 'EIO: input/output error',
  12: 'ENOMEM: the server is out of memory',
  22: 'EINVAL: invalid argument',
  28: 'ENOSPC: no space left on the server',
  75: 'EOVERFLOW: request too large',
  95: 'ENOTSUP: not supported',
  108: 'ESHUTDOWN: the server is shutting down',
};

export function nbdErrorName(number: number): string {
  return errorNames[number] ?? `NBD error ${number}`;
}
