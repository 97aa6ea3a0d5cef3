import { REQUEST_MAGIC, type CommandType } from './protocol.ts';

export interface RequestHead {
  readonly command: CommandType;
  readonly flags: number;
  /** The two halves of what tells which request a reply is for, 32 bits each. */
  readonly cookieHigh: number;
  readonly cookie: number;
  readonly offset: number;
  readonly length: number;
}

/** A request as it goes over the wire, before its payload. */
export function requestHead({ command, flags, cookieHigh, cookie, offset, length }: RequestHead): Buffer {
  const head = Buffer.allocUnsafe(28);
  head.writeUInt32BE(REQUEST_MAGIC, 0);
  head.writeUInt16BE(flags, 4);
  head.writeUInt16BE(command, 6);
  head.writeUInt32BE(cookieHigh, 8);
  head.writeUInt32BE(cookie, 12);
  head.writeUInt32BE(Math.floor(offset / 0x1_0000_0000), 16);
  head.writeUInt32BE(offset % 0x1_0000_0000, 20);
  head.writeUInt32BE(length, 24);
  return head;
}
