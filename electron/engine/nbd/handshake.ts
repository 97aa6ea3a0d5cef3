import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { addressText, type NbdAddress, type NbdTls } from './address.ts';
import type { HandshakeReader } from './handshake-reader.ts';
import { cancelled, type Link } from './link.ts';
import {
  HandshakeFlag,
  IHAVEOPT,
  Info,
  MAX_STRING,
  NBDMAGIC,
  OPTION_REPLY_MAGIC,
  Option,
  OptionReply,
  TransmissionFlag,
} from './protocol.ts';

/** What the server said about an export, and what both sides agreed on. */
export interface ExportInfo {
  readonly name: string;
  /** Bytes; the server's word, any number up to 2^53 - 1. */
  readonly sizeBytes: number;
  readonly flags: number;
  readonly readOnly: boolean;
  /** Constraints of requests, in bytes. Without an advertisement: the protocol's defaults. */
  readonly minimumBlock: number;
  readonly preferredBlock: number;
  readonly maximumBlock: number;
  readonly structuredReplies: boolean;
  /** Metadata contexts that the server granted, by name, with the ids that its replies carry. */
  readonly contexts: ReadonlyMap<string, number>;
}

const MAX_REPLY = 64 * 1024;
const MAX_EXPORTS = 10_000;
const DEFAULT_MAXIMUM_BLOCK = 32 * 1024 * 1024;

interface Reply {
  readonly type: number;
  readonly data: Buffer;
}

/** The option phase of the fixed newstyle handshake, one method a step. */
export class Handshake {
  readonly #link: Link;
  readonly #reader: HandshakeReader;
  readonly #address: NbdAddress;

  constructor(link: Link, reader: HandshakeReader) {
    this.#link = link;
    this.#reader = reader;
    this.#address = link.address;
    link.onFailed((error) => reader.fail(error));
  }

  /** Greets, and secures the connection when asked to. Never goes on in the clear when TLS was asked for. */
  async begin(tls: NbdTls | undefined, signal: AbortSignal, timeoutMs: number): Promise<void> {
    const greeting = await this.#reader.read(18);
    if (greeting.readBigUInt64BE(0) !== NBDMAGIC || greeting.readBigUInt64BE(8) !== IHAVEOPT) {
      throw this.#violation('no newstyle NBD greeting');
    }
    const flags = greeting.readUInt16BE(16);
    if ((flags & HandshakeFlag.fixedNewstyle) === 0)
      throw this.#violation('the server lacks the fixed newstyle handshake');
    const answer = Buffer.alloc(4);
    answer.writeUInt32BE(flags & (HandshakeFlag.fixedNewstyle | HandshakeFlag.noZeroes));
    this.#link.write(answer);
    if (tls === undefined) return;
    const reply = await this.#ask(Option.startTls, Buffer.alloc(0));
    if (reply.type !== OptionReply.ack) {
      throw new CausewayError(
        'source.tls-refused',
        `NBD server ${addressText(this.#address)} has no TLS: ${replyText(reply)}`,
      );
    }
    // Bytes that came before the TLS handshake could have been slipped in by anyone.
    if (this.#reader.buffered > 0) throw this.#violation('unencrypted data after STARTTLS');
    await this.#link.upgrade(tls, signal, timeoutMs);
  }

  /** Enters the transmission phase on an export. */
  async go(name: string, contexts: readonly string[]): Promise<ExportInfo> {
    const structured = (await this.#ask(Option.structuredReply, Buffer.alloc(0))).type === OptionReply.ack;
    const granted =
      structured && contexts.length > 0 ? await this.#setContexts(name, contexts) : new Map<string, number>();
    const request = Buffer.concat([stringField(name), uint16(1), uint16(Info.blockSize)]);
    this.#send(Option.go, request);
    let info: { size: number; flags: number } | undefined;
    let blocks = { minimum: 1, preferred: 4096, maximum: DEFAULT_MAXIMUM_BLOCK };
    for (let count = 0; ; count++) {
      const reply = await this.#reply(Option.go);
      if (reply.type === OptionReply.ack) break;
      if (reply.type !== OptionReply.info) throw this.#refusal(name, reply);
      if (count > 64 || reply.data.length < 2) throw this.#violation('too much or too short export information');
      const kind = reply.data.readUInt16BE(0);
      if (kind === Info.export) {
        if (reply.data.length !== 12) throw this.#violation('export information of a wrong length');
        info = { size: this.#size(reply.data.readBigUInt64BE(2)), flags: reply.data.readUInt16BE(10) };
      } else if (kind === Info.blockSize) {
        if (reply.data.length !== 14) throw this.#violation('block size information of a wrong length');
        blocks = this.#blocks(reply.data.readUInt32BE(2), reply.data.readUInt32BE(6), reply.data.readUInt32BE(10));
      }
    }
    if (info === undefined) throw this.#violation('the server did not send the size of the export');
    if (this.#reader.buffered > 0) throw this.#violation('data before the first request');
    return {
      name,
      sizeBytes: info.size,
      flags: info.flags,
      readOnly: (info.flags & TransmissionFlag.readOnly) !== 0,
      minimumBlock: blocks.minimum,
      preferredBlock: blocks.preferred,
      maximumBlock: blocks.maximum,
      structuredReplies: structured,
      contexts: granted,
    };
  }

  /** Names of the exports, then ends the negotiation. */
  async list(): Promise<readonly string[]> {
    this.#send(Option.list, Buffer.alloc(0));
    const names: string[] = [];
    for (;;) {
      const reply = await this.#reply(Option.list);
      if (reply.type === OptionReply.ack) break;
      if (reply.type !== OptionReply.server) throw this.#refusal('', reply);
      if (names.length >= MAX_EXPORTS) throw this.#violation(`more than ${MAX_EXPORTS} exports`);
      const length = reply.data.length < 4 ? -1 : reply.data.readUInt32BE(0);
      if (length < 0 || length > MAX_STRING || 4 + length > reply.data.length)
        throw this.#violation('an export name of a wrong length');
      names.push(reply.data.toString('utf8', 4, 4 + length));
    }
    this.#send(Option.abort, Buffer.alloc(0));
    return names;
  }

  async #setContexts(name: string, contexts: readonly string[]): Promise<Map<string, number>> {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(contexts.length);
    this.#send(Option.setMetaContext, Buffer.concat([stringField(name), count, ...contexts.map(stringField)]));
    const granted = new Map<string, number>();
    for (;;) {
      const reply = await this.#reply(Option.setMetaContext);
      if (reply.type === OptionReply.ack) return granted;
      if (reply.type === OptionReply.errUnsupported) return new Map();
      if (reply.type !== OptionReply.metaContext) throw this.#refusal(name, reply);
      if (reply.data.length < 5 || granted.size >= contexts.length)
        throw this.#violation('metadata contexts that were not requested');
      const context = reply.data.toString('utf8', 4);
      const id = reply.data.readUInt32BE(0);
      if (!contexts.includes(context) || granted.has(context) || [...granted.values()].includes(id)) {
        throw this.#violation('metadata contexts that were not requested');
      }
      granted.set(context, id);
    }
  }

  async #ask(option: number, data: Buffer): Promise<Reply> {
    this.#send(option, data);
    return this.#reply(option);
  }

  #send(option: number, data: Buffer): void {
    const head = Buffer.alloc(16);
    head.writeBigUInt64BE(IHAVEOPT, 0);
    head.writeUInt32BE(option, 8);
    head.writeUInt32BE(data.length, 12);
    this.#link.write(Buffer.concat([head, data]));
  }

  async #reply(option: number): Promise<Reply> {
    const head = await this.#reader.read(20);
    if (head.readBigUInt64BE(0) !== OPTION_REPLY_MAGIC) throw this.#violation('wrong magic in an option reply');
    if (head.readUInt32BE(8) !== option) throw this.#violation('a reply to an option that was not sent');
    const length = head.readUInt32BE(16);
    if (length > MAX_REPLY) throw this.#violation(`an option reply of ${length} bytes`);
    return { type: head.readUInt32BE(12), data: await this.#reader.read(length) };
  }

  #size(size: bigint): number {
    if (size > BigInt(Number.MAX_SAFE_INTEGER)) throw this.#violation(`an export of ${size} bytes`);
    return Number(size);
  }

  #blocks(minimum: number, preferred: number, maximum: number) {
    const isPower = (value: number) => Number.isInteger(Math.log2(value));
    if (
      minimum === 0 ||
      !isPower(minimum) ||
      minimum > 65_536 ||
      maximum < minimum ||
      (maximum !== 0xffffffff && maximum % minimum !== 0)
    ) {
      throw this.#violation(`impossible block sizes ${minimum}/${preferred}/${maximum}`);
    }
    const usable = Math.min(maximum, DEFAULT_MAXIMUM_BLOCK);
    return { minimum, preferred, maximum: usable - (usable % minimum) };
  }

  #refusal(name: string, reply: Reply): CausewayError {
    const evidence = `NBD server ${addressText(this.#address)}, export "${name}": ${replyText(reply)}`;
    if (reply.type === OptionReply.errTlsRequired) return new CausewayError('source.tls-refused', evidence);
    if (reply.type === OptionReply.errUnknownExport) return new CausewayError('source.disk-not-found', evidence);
    if (reply.type >= OptionReply.errorBit) return new CausewayError('source.request-refused', evidence);
    return this.#violation(`unexpected option reply ${reply.type}`);
  }

  #violation(what: string): CausewayError {
    return new CausewayError('source.protocol', `NBD server ${addressText(this.#address)}: ${what}`);
  }
}

/** Fails the handshake's reads when it takes too long or is cancelled; the returned function disarms. */
export function guardHandshake(link: Link, signal: AbortSignal, timeoutMs: number): () => void {
  const onAbort = () => link.fail(cancelled());
  const timer = setTimeout(
    () =>
      link.fail(
        new CausewayError(
          'source.unreachable',
          `NBD server ${addressText(link.address)}: no handshake within ${timeoutMs} ms`,
        ),
      ),
    timeoutMs,
  );
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  return () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  };
}

const replyNames: Readonly<Record<number, string>> = {
  [OptionReply.errUnsupported]: 'the option is not supported',
  [OptionReply.errPolicy]: 'forbidden by the server’s policy',
  [OptionReply.errInvalid]: 'invalid request',
  [OptionReply.errPlatform]: 'not supported on the server’s platform',
  [OptionReply.errTlsRequired]: 'TLS is required',
  [OptionReply.errUnknownExport]: 'no such export',
  [OptionReply.errShutdown]: 'the server is shutting down',
  [OptionReply.errBlockSizeRequired]: 'block sizes must be negotiated',
  [OptionReply.errTooBig]: 'the request is too large',
};

function replyText(reply: Reply): string {
  const said =
    reply.type >= OptionReply.errorBit ? reply.data.toString('utf8', 0, 300).replace(/[^\x20-\x7e]/g, '?') : '';
  return [replyNames[reply.type] ?? `option reply 0x${reply.type.toString(16)}`, said].filter(Boolean).join(': ');
}

function stringField(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length > MAX_STRING)
    throw new CausewayError('general.invalid-input', `NBD name longer than ${MAX_STRING} bytes`);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(bytes.length);
  return Buffer.concat([head, bytes]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
