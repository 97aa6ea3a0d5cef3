import net from 'node:net';
import { once } from 'node:events';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import {
  IHAVEOPT,
  NBDMAGIC,
  OPTION_REPLY_MAGIC,
  Option,
  OptionReply,
  SIMPLE_REPLY_MAGIC,
  STRUCTURED_REPLY_MAGIC,
} from './protocol.ts';

/** A request as it arrived. */
export interface SeenRequest {
  readonly command: number;
  readonly cookie: Buffer;
  readonly offset: number;
  readonly length: number;
}

export interface ScriptedServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface Script {
  readonly sizeBytes?: number;
  readonly structured?: boolean;
  readonly greeting?: Buffer;
  /** Replies to options by number; unset: a well-behaved server. */
  readonly options?: Readonly<Record<number, (data: Buffer) => readonly Buffer[]>>;
  readonly onRequest?: (request: SeenRequest, socket: net.Socket) => void;
}

/** An NBD server on loopback that does what the script says, right or wrong. */
export async function scriptedServer(script: Script): Promise<ScriptedServer> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    void serve(socket, script).catch(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new CausewayError('general.bug', 'no port');
  return {
    port: address.port,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

export function optionReply(option: number, type: number, data: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(20);
  head.writeBigUInt64BE(OPTION_REPLY_MAGIC, 0);
  head.writeUInt32BE(option, 8);
  head.writeUInt32BE(type, 12);
  head.writeUInt32BE(data.length, 16);
  return Buffer.concat([head, data]);
}

export function exportInfo(sizeBytes: bigint, flags = 1): Buffer {
  const data = Buffer.alloc(12);
  data.writeBigUInt64BE(sizeBytes, 2);
  data.writeUInt16BE(flags, 10);
  return optionReply(Option.go, OptionReply.info, data);
}

export function simpleReply(cookie: Buffer, error: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(SIMPLE_REPLY_MAGIC, 0);
  head.writeUInt32BE(error, 4);
  return Buffer.concat([head, cookie, payload]);
}

export function chunk(
  cookie: Buffer,
  type: number,
  done: boolean,
  payload: Buffer = Buffer.alloc(0),
  claimed = payload.length,
): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(STRUCTURED_REPLY_MAGIC, 0);
  head.writeUInt16BE(done ? 1 : 0, 4);
  head.writeUInt16BE(type, 6);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(claimed, 0);
  return Buffer.concat([head, cookie, length, payload]);
}

export function offsetField(offset: number | bigint, rest: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(8);
  head.writeBigUInt64BE(BigInt(offset), 0);
  return Buffer.concat([head, rest]);
}

async function serve(socket: net.Socket, script: Script): Promise<void> {
  const next = reader(socket);
  const head = Buffer.alloc(18);
  head.writeBigUInt64BE(NBDMAGIC, 0);
  head.writeBigUInt64BE(IHAVEOPT, 8);
  head.writeUInt16BE(3, 16);
  socket.write(script.greeting ?? head);
  await next(4);
  for (let inOptions = true; inOptions;) {
    const option = await next(16);
    const number = option.readUInt32BE(8);
    const data = await next(option.readUInt32BE(12));
    const answer = script.options?.[number]?.(data) ?? usual(number, data, script);
    for (const part of answer) socket.write(part);
    inOptions = number !== Option.go;
  }
  for (;;) {
    const request = await next(28);
    const length = request.readUInt32BE(24);
    const command = request.readUInt16BE(6);
    if (command === 1) await next(length);
    script.onRequest?.(
      { command, cookie: Buffer.from(request.subarray(8, 16)), offset: Number(request.readBigUInt64BE(16)), length },
      socket,
    );
  }
}

function usual(option: number, data: Buffer, script: Script): readonly Buffer[] {
  if (option === Option.go)
    return [exportInfo(BigInt(script.sizeBytes ?? 1 << 20)), optionReply(option, OptionReply.ack)];
  if (option === Option.structuredReply && script.structured !== false) return [optionReply(option, OptionReply.ack)];
  if (option === Option.setMetaContext) {
    const nameLength = data.readUInt32BE(0);
    const granted: Buffer[] = [];
    for (let at = 8 + nameLength, id = 1; at < data.length; id++) {
      const length = data.readUInt32BE(at);
      const head = Buffer.alloc(4);
      head.writeUInt32BE(id, 0);
      granted.push(
        optionReply(option, OptionReply.metaContext, Buffer.concat([head, data.subarray(at + 4, at + 4 + length)])),
      );
      at += 4 + length;
    }
    return [...granted, optionReply(option, OptionReply.ack)];
  }
  return [optionReply(option, OptionReply.errUnsupported)];
}

function reader(socket: net.Socket): (count: number) => Promise<Buffer> {
  let pending = Buffer.alloc(0);
  let wake: (() => void) | undefined;
  let closed = false;
  socket.on('data', (data: Buffer) => {
    pending = Buffer.concat([pending, data]);
    wake?.();
  });
  socket.on('close', () => {
    closed = true;
    wake?.();
  });
  return async (count) => {
    while (pending.length < count) {
      if (closed) throw new Error('closed');
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const bytes = pending.subarray(0, count);
    pending = pending.subarray(count);
    return bytes;
  };
}
