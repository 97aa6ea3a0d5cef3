import type { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { decompress } from './decompress.ts';
import type { Extra } from './frame-parser.ts';
import { lost, unreadable } from './host-errors.ts';
import { Compression, IO_BYTES, readSize, violation } from './protocol.ts';
import { ReceivedRuns } from './received-runs.ts';

/** A part of a read that one request asks for. */
export interface Piece {
  readonly offset: number;
  readonly into: Uint8Array;
  /** False once the caller has given up: its buffer is not written to any more. */
  readonly isWanted: boolean;
  /**
   * Called once, when all bytes have come or the host could not read them; never when the connection was lost.
   *
   * @param wireBytes what it took on the network
   */
  done(error: CausewayError | undefined, wireBytes: number): void;
}

interface Read {
  readonly piece: Piece;
  readonly since: number;
  readonly runs: ReceivedRuns;
  wireBytes: number;
}

/** Longest packed form of a fragment, over its plain length: what does not shrink comes raw. */
const PACKED_SLACK = 1024;

/** Reads under way on one connection, by their request: where each fragment belongs, and whether it may be there. */
export class IncomingReads {
  readonly #bufferBytes: number;
  readonly #reads = new Map<number, Read>();
  #wireBytes = 0;

  /** @param bufferBytes size of one buffer on the host: a fragment is no larger */
  constructor(bufferBytes: number) {
    this.#bufferBytes = bufferBytes;
  }

  /** Bytes of disk content that came over the network, packed as they were. */
  get wireBytes(): number {
    return this.#wireBytes;
  }

  get count(): number {
    return this.#reads.size;
  }

  /** When the oldest one was asked for. */
  get oldest(): number | undefined {
    // Maps keep the order of insertion.
    return this.#reads.values().next().value?.since;
  }

  add(opId: number, piece: Piece, since: number): void {
    this.#reads.set(opId, { piece, since, runs: new ReceivedRuns(), wireBytes: 0 });
  }

  checkHead(opId: number, size: number): void {
    if (!this.#reads.has(opId)) throw violation(`data for request ${opId}, which is not waiting`);
    if (size !== IO_BYTES) throw violation(`a data message of ${size} bytes`);
  }

  /** The host has refused this request, if it is a read. */
  refused(opId: number, why: string): void {
    const read = this.#reads.get(opId);
    this.#reads.delete(opId);
    if (read?.piece.isWanted === true) read.piece.done(unreadable(read.piece, why), read.wireBytes);
  }

  clear(): void {
    this.#reads.clear();
  }

  /** What follows the head of a fragment. */
  fragment(opId: number, payload: Buffer): Extra {
    const read = this.#reads.get(opId) as Read;
    const { piece } = read;
    const status = readSize(payload, 0);
    if (status !== 0) {
      this.refused(opId, `status ${status}`);
      throw lost(`the host read [${piece.offset}, +${piece.into.length}) with status ${status}`);
    }
    if (readSize(payload, 16) !== piece.offset || payload.readUInt32LE(24) !== piece.into.length) {
      throw violation(
        `data of [${readSize(payload, 16)}, +${payload.readUInt32LE(24)}) for a read of [${piece.offset}, +${piece.into.length})`,
      );
    }
    const compression = payload.readUInt32LE(12);
    const place = payload.readUInt32LE(28);
    const plain = payload.readUInt32LE(32);
    const wire = payload.readUInt32LE(36);
    if (plain === 0 || plain > this.#bufferBytes || place + plain > piece.into.length) {
      throw violation(`a fragment [${place}, +${plain}) of a read of ${piece.into.length} bytes`);
    }
    const isRaw = compression === Compression.none || wire === plain;
    if (compression > Compression.skipz || (isRaw ? wire !== plain : wire === 0 || wire > plain + PACKED_SLACK)) {
      throw violation(`a fragment of ${plain} bytes in ${wire} with compression ${compression}`);
    }
    read.runs.add(place, place + plain);
    read.wireBytes += wire;
    this.#wireBytes += wire;
    const target = piece.into.subarray(place, place + plain);
    return {
      length: wire,
      ...(isRaw ? { into: target } : {}),
      isWanted: () => piece.isWanted,
      done: (packed) => {
        if (packed !== undefined && piece.isWanted) decompress(compression, packed, target);
        if (!read.runs.isComplete(piece.into.length)) return;
        this.#reads.delete(opId);
        piece.done(undefined, read.wireBytes);
      },
    };
  }
}
