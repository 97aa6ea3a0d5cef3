import { copyBytes } from '../../../concurrency/copy-bytes.ts';
import { AIO_HEAD, AIO_MAGIC, CLASSIC_BYTES, violation } from './protocol.ts';

/** Bytes behind a message that its size does not count. */
export interface Extra {
  readonly length: number;
  /** Where they go as they come. Unset: they are handed over in one piece, which is valid only during the call. */
  readonly into?: Uint8Array;
  /** False once nobody wants them any more: they are skipped. Asked for each part. */
  isWanted(): boolean;
  /** All have come; `bytes` only where `into` is unset and they are still wanted. */
  done(bytes: Uint8Array | undefined): void;
}

/** What the parser needs to know of the session. Every member may throw when what came is not valid. */
export interface FrameOwner {
  /** A message of the opening and closing. Returns how many bytes of text follow it. */
  classic(message: Buffer): Extra | undefined;
  /** The size that the payload of this message must have; `size` is what the host says. */
  checkHead(type: number, size: number, opId: number): void;
  /** A payload, valid during the call. Returns what follows it. */
  message(type: number, opId: number, payload: Buffer): Extra | undefined;
}

const MAX_PAYLOAD = 256;

/**
 * Cuts what a host sends into messages, however the bytes are split. The bytes of a read go straight to their place in the
 * caller's buffer; packed fragments are handed over where they lie, and are collected in one buffer that is used again only if they
 * came in several parts.
 */
export class FrameParser {
  readonly #owner: FrameOwner;
  readonly #small = Buffer.allocUnsafe(Math.max(CLASSIC_BYTES, AIO_HEAD + MAX_PAYLOAD));
  #have = 0;
  #want = CLASSIC_BYTES;
  #isAio = false;
  #inPayload = false;
  #extra: Extra | undefined;
  #extraAt = 0;
  #collected: Uint8Array = new Uint8Array(0);

  constructor(owner: FrameOwner) {
    this.#owner = owner;
  }

  /** From the next message on, messages are those of the asynchronous session. To be called while a message is handed over. */
  beginAio(): void {
    this.#isAio = true;
    this.#want = AIO_HEAD;
  }

  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#extra !== undefined) {
        at += this.#takeExtra(this.#extra, chunk, at);
        continue;
      }
      const count = Math.min(this.#want - this.#have, chunk.length - at);
      this.#small.set(chunk.subarray(at, at + count), this.#have);
      this.#have += count;
      at += count;
      if (this.#have === this.#want) this.#step();
    }
  }

  #step(): void {
    if (!this.#isAio) {
      this.#have = 0;
      this.#begin(this.#owner.classic(this.#small.subarray(0, CLASSIC_BYTES)));
      return;
    }
    const type = this.#small.readUInt32LE(4);
    const size = this.#small.readUInt32LE(8);
    const opId = this.#small.readUInt32LE(12);
    if (!this.#inPayload) {
      const magic = this.#small.readUInt32LE(0);
      if (magic !== AIO_MAGIC) throw violation(`a message with magic 0x${magic.toString(16)}`);
      if (size > MAX_PAYLOAD) throw violation(`a message of type ${type} with ${size} bytes`);
      this.#owner.checkHead(type, size, opId);
      this.#inPayload = true;
      this.#want = AIO_HEAD + size;
      if (this.#have < this.#want) return;
    }
    this.#inPayload = false;
    this.#have = 0;
    this.#want = AIO_HEAD;
    this.#begin(this.#owner.message(type, opId, this.#small.subarray(AIO_HEAD, AIO_HEAD + size)));
  }

  #begin(extra: Extra | undefined): void {
    if (extra === undefined) return;
    if (extra.length === 0) {
      extra.done(extra.into === undefined ? new Uint8Array(0) : undefined);
      return;
    }
    this.#extra = extra;
    this.#extraAt = 0;
  }

  /** @returns how many bytes of the chunk were used */
  #takeExtra(extra: Extra, chunk: Uint8Array, at: number): number {
    const count = Math.min(extra.length - this.#extraAt, chunk.length - at);
    const isWanted = extra.isWanted();
    const isWhole = count === extra.length;
    if (isWanted && !(isWhole && extra.into === undefined)) {
      const part = isWhole && at === 0 && count === chunk.length ? chunk : chunk.subarray(at, at + count);
      copyBytes(part, extra.into ?? this.#room(extra.length), this.#extraAt);
    }
    this.#extraAt += count;
    if (this.#extraAt === extra.length) {
      this.#extra = undefined;
      if (!isWanted || extra.into !== undefined) extra.done(undefined);
      else extra.done(isWhole ? chunk.subarray(at, at + count) : this.#collected.subarray(0, extra.length));
    }
    return count;
  }

  #room(length: number): Uint8Array {
    if (this.#collected.length < length) this.#collected = new Uint8Array(length);
    return this.#collected;
  }
}
