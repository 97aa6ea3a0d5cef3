import { checkPayload, decodeHead, headBytes, type FrameHead } from './protocol.ts';

/**
 * Cuts a byte stream into frames, regardless of the sizes of its pieces. `push` throws `transport.protocol` at the first
 * damaged frame; the stream is of no use after that.
 */
export class FrameParser {
  readonly #onFrame: (head: FrameHead, payload: Buffer) => void;
  #pieces: Buffer[] = [];
  #buffered = 0;
  #head: FrameHead | undefined;

  constructor(onFrame: (head: FrameHead, payload: Buffer) => void) {
    this.#onFrame = onFrame;
  }

  push(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#buffered += piece.length;
    for (;;) {
      if (this.#head === undefined) {
        if (this.#buffered < headBytes) return;
        this.#head = decodeHead(this.#take(headBytes));
      }
      const head = this.#head;
      if (this.#buffered < head.payloadLength) return;
      const payload = this.#take(head.payloadLength);
      checkPayload(head, payload);
      this.#head = undefined;
      this.#onFrame(head, payload);
    }
  }

  #take(length: number): Buffer {
    if (length === 0) return Buffer.alloc(0);
    const first = this.#pieces[0];
    const all = first !== undefined && first.length >= length ? first : Buffer.concat(this.#pieces);
    const rest = all === first ? this.#pieces.slice(1) : [];
    this.#pieces = all.length > length ? [all.subarray(length), ...rest] : rest;
    this.#buffered -= length;
    return all.subarray(0, length);
  }
}
