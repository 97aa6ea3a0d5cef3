import { copyBytes } from '../../../concurrency/copy-bytes.ts';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { abortable } from '../../../concurrency/abortable.ts';
import type { Clock } from '../../../time/clock.ts';

const MIB = 2 ** 20;
/** Each request costs processor time beside its bytes: on a fast way large ones are cheaper, on a slow one small ones come before their deadline. */
const [smallestBytes, largestBytes] = [MIB, 8 * MIB];
const [quickMs, slowMs] = [400, 2000];
/** What is kept of a disk for reads that are to come. */
const mostHeldBytes = 32 * MIB;
/** A read that begins so close after the last one goes on where that ended: several run at a time, and not all in their order. */
const nearBytes = 4 * MIB;
const mostRuns = 4096;
/** Memory of pieces that were read is used again: the first touch of new memory costs as much as reading. */
const mostSpare = 2;

interface Run {
  readonly start: number;
  readonly end: number;
}

interface Piece extends Run {
  readonly bytes: Promise<Buffer>;
  /** Bytes that nobody has read so far. */
  left: number;
  /** Reads that wait for it. */
  waiting: number;
}

/** Fills `into` with the bytes at `offset`, by one request or more. */
export type Fetch = (offset: number, into: Uint8Array, signal: AbortSignal) => Promise<void>;

/**
 * Reads a disk in larger pieces than it is asked for, as long as it is asked for one part after the other of what is known to hold data.
 * A piece is shared by those who read parts of it, and forgotten when all of it was read. Reads out of order are passed on as they are.
 */
export class ReadAhead {
  readonly #fetch: Fetch;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #closing = new AbortController();
  #runs: Run[] = [];
  #pieces: Piece[] = [];
  #held = 0;
  #spare: Buffer[] = [];
  #next = -1;
  #pieceBytes = smallestBytes;

  constructor(fetch: Fetch, clock: Pick<Clock, 'monotonic'>) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /** How much one piece has now at most. */
  get pieceBytes(): number {
    return this.#pieceBytes;
  }

  /** Learns of a run of data. Runs come in their order; one that comes before the last begins a new list. */
  know(offset: number, length: number): void {
    if (offset < (this.#runs.at(-1)?.end ?? 0)) this.#runs = [];
    this.#runs.push({ start: offset, end: offset + length });
    if (this.#runs.length > mostRuns) this.#runs.shift();
  }

  async read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    const end = offset + into.length;
    const isNext = this.#next >= 0 && Math.abs(offset - this.#next) <= nearBytes;
    this.#next = isNext ? Math.max(this.#next, end) : end;
    const parts: Promise<void>[] = [];
    for (let at = offset; at < end;) {
      const piece = this.#pieceAt(at) ?? (isNext ? this.#begin(at, end) : undefined);
      // Without a piece, up to where the next one begins.
      const to =
        piece === undefined
          ? Math.min(end, ...this.#pieces.filter(({ start }) => start > at).map(({ start }) => start))
          : Math.min(end, piece.end);
      const place = into.subarray(at - offset, to - offset);
      parts.push(piece === undefined ? this.#timed(at, place, signal) : this.#take(piece, at, place, signal));
      at = to;
    }
    // Nothing writes to the buffer any more when this ends.
    const failed = (await Promise.allSettled(parts)).find((part) => part.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  close(): void {
    this.#closing.abort(new CausewayError('general.cancelled', 'the disk was closed'));
    this.#pieces = [];
    this.#held = 0;
    this.#spare = [];
  }

  #pieceAt(offset: number): Piece | undefined {
    return this.#pieces.find(({ start, end }) => start <= offset && offset < end);
  }

  /** A piece from here on, where that is more than what is asked for. */
  #begin(start: number, asked: number): Piece | undefined {
    const run = this.#runs.findLast((each) => each.start <= start && start < each.end);
    const next = Math.min(...this.#pieces.filter((piece) => piece.start > start).map((piece) => piece.start));
    const end = Math.min(start + this.#pieceBytes, run?.end ?? start, next);
    if (end <= asked) return undefined;
    const bytes = this.#fetchPiece(start, end - start);
    const piece: Piece = { start, end, bytes, left: end - start, waiting: 0 };
    this.#pieces.push(piece);
    this.#held += end - start;
    while (this.#held > mostHeldBytes && this.#pieces.length > 1) this.#forget(this.#pieces[0]);
    // Who waits for it hears of it.
    bytes.catch(() => this.#forget(piece));
    return piece;
  }

  async #fetchPiece(start: number, length: number): Promise<Buffer> {
    const spare = this.#spare.findIndex((each) => each.length === length);
    const into = this.#spare.splice(spare, spare < 0 ? 0 : 1)[0] ?? Buffer.allocUnsafeSlow(length);
    await this.#timed(start, into, this.#closing.signal);
    return into;
  }

  async #timed(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    const begun = this.#clock.monotonic();
    await this.#fetch(offset, into, signal);
    const took = this.#clock.monotonic() - begun;
    // A small part that arrives soon says little.
    if (took > slowMs) this.#pieceBytes = Math.max(smallestBytes, this.#pieceBytes / 2);
    else if (took < quickMs && into.length * 2 >= this.#pieceBytes)
      this.#pieceBytes = Math.min(largestBytes, this.#pieceBytes * 2);
  }

  async #take(piece: Piece, offset: number, place: Uint8Array, signal: AbortSignal): Promise<void> {
    piece.waiting += 1;
    try {
      const bytes = await abortable(piece.bytes, signal);
      copyBytes(bytes.subarray(offset - piece.start, offset - piece.start + place.length), place);
      piece.left -= place.length;
    } finally {
      piece.waiting -= 1;
    }
    if (piece.left > 0 || piece.waiting > 0 || !this.#pieces.includes(piece)) return;
    this.#forget(piece);
    if (!this.#closing.signal.aborted && this.#spare.length < mostSpare) this.#spare.push(await piece.bytes);
  }

  #forget(piece: Piece | undefined): void {
    if (piece === undefined || !this.#pieces.includes(piece)) return;
    this.#pieces = this.#pieces.filter((each) => each !== piece);
    this.#held -= piece.end - piece.start;
  }
}
