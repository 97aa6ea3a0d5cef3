import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { ByteSink } from './link.ts';
import type { PendingRequest, StatusRun } from './pending-request.ts';
import { Chunk, ChunkFlag, Command, MAX_STRING, SIMPLE_REPLY_MAGIC, STRUCTURED_REPLY_MAGIC } from './protocol.ts';

const SIMPLE_HEAD = 16;
const STRUCTURED_HEAD = 20;
/** Servers send at most about a million extents of 8 bytes each. */
const MAX_STATUS_PAYLOAD = 4 + 8 * 1024 * 1024;
const MAX_ERROR_PAYLOAD = 6 + MAX_STRING + 8;

/** What the parser needs to know of the connection. */
export interface ReplyOwner {
  readonly structuredReplies: boolean;
  readonly contextIds: ReadonlySet<number>;
  find(cookieHigh: number, cookieLow: number): PendingRequest | undefined;
  finished(cookieLow: number): void;
}

interface ChunkHead {
  readonly request: PendingRequest;
  readonly cookie: number;
  readonly type: number;
  readonly done: boolean;
}

/**
 * Parses the replies of the transmission phase. Heads and small payloads pass through a scratch buffer; the bytes of
 * a read go straight to their place in the caller's buffer. Everything that the server says is checked, since a lying
 * length would otherwise shift all that follows.
 */
export class ReplyParser implements ByteSink {
  readonly #owner: ReplyOwner;
  readonly #scratch = Buffer.allocUnsafe(4096);
  #start = 0;
  #end = 0;
  #chunk: ChunkHead | undefined;
  /** Payload being collected (status, error), or the place in the caller's buffer being filled (data). */
  #sink: Uint8Array | undefined;
  #sinkAt = 0;
  #isData = false;
  /** Payload bytes of an abandoned read that are still to be thrown away. */
  #discard = 0;
  #targetIsSink = false;

  constructor(owner: ReplyOwner) {
    this.#owner = owner;
  }

  /** The request whose buffer the next bytes go into. */
  get receiving(): PendingRequest | undefined {
    return this.#isData && this.#sink !== undefined ? this.#chunk?.request : undefined;
  }

  nextTarget(): Uint8Array {
    this.#targetIsSink = this.#sink !== undefined && this.#start === this.#end;
    if (this.#targetIsSink && this.#sink !== undefined) return this.#sink.subarray(this.#sinkAt);
    if (this.#start > 0) {
      this.#scratch.copyWithin(0, this.#start, this.#end);
      this.#end -= this.#start;
      this.#start = 0;
    }
    return this.#scratch.subarray(this.#end);
  }

  filled(count: number): void {
    if (this.#targetIsSink) this.#sinkAt += count;
    else this.#end += count;
    while (this.#step());
  }

  #step(): boolean {
    if (this.#discard > 0) {
      const count = Math.min(this.#discard, this.#end - this.#start);
      this.#start += count;
      this.#discard -= count;
      if (this.#discard > 0) return false;
      this.#endChunk();
      return true;
    }
    if (this.#sink !== undefined) {
      const count = Math.min(this.#sink.length - this.#sinkAt, this.#end - this.#start);
      if (count > 0) {
        this.#sink.set(this.#scratch.subarray(this.#start, this.#start + count), this.#sinkAt);
        this.#start += count;
        this.#sinkAt += count;
      }
      if (this.#sinkAt < this.#sink.length) return false;
      const payload = this.#sink;
      this.#sink = undefined;
      if (!this.#isData) this.#interpret(Buffer.from(payload.buffer, payload.byteOffset, payload.length));
      this.#endChunk();
      return true;
    }
    const available = this.#end - this.#start;
    if (available < 4) return false;
    const magic = this.#scratch.readUInt32BE(this.#start);
    if (magic === STRUCTURED_REPLY_MAGIC && this.#owner.structuredReplies) return this.#structured(available);
    if (magic === SIMPLE_REPLY_MAGIC) return this.#simple(available);
    throw violation(`a reply with magic 0x${magic.toString(16)}`);
  }

  #simple(available: number): boolean {
    if (available < SIMPLE_HEAD) return false;
    const error = this.#scratch.readUInt32BE(this.#start + 4);
    const { request, cookie } = this.#find(8);
    if (request.command === Command.read && this.#owner.structuredReplies)
      throw violation('a simple reply to a structured read');
    if (request.command === Command.blockStatus && error === 0)
      throw violation('a simple reply to a block status request');
    this.#start += SIMPLE_HEAD;
    this.#chunk = { request, cookie, type: Chunk.none, done: true };
    if (error !== 0) request.noteError(error);
    if (request.command === Command.read && error === 0) {
      request.cover(request.offset, request.length);
      this.#receive(request, 0, request.length);
    } else this.#endChunk();
    return true;
  }

  #structured(available: number): boolean {
    if (available < STRUCTURED_HEAD) return false;
    const flags = this.#scratch.readUInt16BE(this.#start + 4);
    const type = this.#scratch.readUInt16BE(this.#start + 6);
    const length = this.#scratch.readUInt32BE(this.#start + 16);
    const { request, cookie } = this.#find(8);
    if (type === Chunk.offsetData) {
      if (length < 9) throw violation('a data chunk without data');
      if (available < STRUCTURED_HEAD + 8) return false;
    }
    const chunk = { request, cookie, type, done: (flags & ChunkFlag.done) !== 0 };
    this.#chunk = chunk;
    this.#start += STRUCTURED_HEAD;
    switch (type) {
      case Chunk.none:
        if (length !== 0 || !chunk.done) throw violation('an empty chunk that is not the last, or not empty');
        this.#endChunk();
        return true;
      case Chunk.offsetData: {
        const offset = this.#offset(this.#scratch.readBigUInt64BE(this.#start));
        this.#start += 8;
        this.#receive(request, request.cover(offset, length - 8), length - 8);
        return true;
      }
      case Chunk.offsetHole:
        if (length !== 12) throw violation('a hole chunk of a wrong length');
        break;
      case Chunk.blockStatus:
        if (
          request.command !== Command.blockStatus ||
          length < 12 ||
          (length - 4) % 8 !== 0 ||
          length > MAX_STATUS_PAYLOAD
        ) {
          throw violation('a block status chunk of a wrong length, or not requested');
        }
        break;
      default:
        if ((type & Chunk.errorBit) === 0) throw violation(`an unknown chunk type ${type}`);
        if (length < 6 || length > MAX_ERROR_PAYLOAD) throw violation('an error chunk of a wrong length');
    }
    this.#sink = Buffer.allocUnsafe(length);
    this.#sinkAt = 0;
    this.#isData = false;
    return true;
  }

  #receive(request: PendingRequest, start: number, length: number): void {
    if (request.into === undefined) {
      this.#discard = length;
      return;
    }
    this.#sink = request.into.subarray(start, start + length);
    this.#sinkAt = 0;
    this.#isData = true;
  }

  #interpret(payload: Buffer): void {
    const { request, type } = this.#current();
    if (type === Chunk.offsetHole) {
      const length = payload.readUInt32BE(8);
      const start = request.cover(this.#offset(payload.readBigUInt64BE(0)), length);
      request.into?.fill(0, start, start + length);
    } else if (type === Chunk.blockStatus) {
      const context = payload.readUInt32BE(0);
      if (!this.#owner.contextIds.has(context) || request.statuses.has(context))
        throw violation(`block status of context ${context}`);
      request.statuses.set(context, parseRuns(payload));
    } else {
      const number = payload.readUInt32BE(0);
      if (number === 0) throw violation('an error chunk without an error');
      const textLength = payload.readUInt16BE(4);
      const hasOffset = type === Chunk.errorOffset;
      if (6 + textLength + (hasOffset ? 8 : 0) > payload.length) throw violation('an error chunk of a wrong length');
      request.noteError(number, hasOffset ? this.#offset(payload.readBigUInt64BE(6 + textLength)) : undefined);
    }
  }

  #endChunk(): void {
    const { request, cookie, done } = this.#current();
    this.#chunk = undefined;
    this.#isData = false;
    request.cancelAfterChunk?.();
    if (!done) return;
    // Throws while the request still counts as pending, so that it is rejected with all others.
    request.finish();
    this.#owner.finished(cookie);
  }

  #current(): ChunkHead {
    if (this.#chunk === undefined) throw new CausewayError('general.bug', 'an NBD payload without a head');
    return this.#chunk;
  }

  #find(at: number): { readonly request: PendingRequest; readonly cookie: number } {
    const cookie = this.#scratch.readUInt32BE(this.#start + at + 4);
    const request = this.#owner.find(this.#scratch.readUInt32BE(this.#start + at), cookie);
    if (request === undefined) throw violation('a reply to a request that was not sent');
    return { request, cookie };
  }

  #offset(value: bigint): number {
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw violation(`an offset of ${value}`);
    return Number(value);
  }
}

function parseRuns(payload: Buffer): readonly StatusRun[] {
  const runs: StatusRun[] = [];
  for (let at = 4; at < payload.length; at += 8) {
    const length = payload.readUInt32BE(at);
    if (length === 0) throw violation('an empty run in a block status');
    runs.push({ length, flags: payload.readUInt32BE(at + 4) });
  }
  return runs;
}

function violation(what: string): CausewayError {
  return new CausewayError('source.protocol', `the NBD server sent ${what}`);
}
