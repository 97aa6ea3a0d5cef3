import { copyBytes } from '../concurrency/copy-bytes.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { allSettledOrThrow } from '../concurrency/all-settled-or-throw.ts';
import type { WorkerVolume } from '../ports/write-target.ts';
import type { AgentLink } from './agent-link.ts';
import type { ByteBudget } from './byte-budget.ts';
import { CompressionTuner, looksCompressible, type Codec, type CompressionPolicy } from './compression.ts';
import { pack, packedPieceBytes, packersAreBusy, type Packed } from './packer.ts';
import type { FlightWindow } from './flight-window.ts';
import { frameFlags, headBytes, maxPayloadBytes } from './protocol.ts';

/** What a writer shares with the other writers of its session. */
export interface WriterLinks {
  /** For requests without data. */
  readonly control: AgentLink;
  /** For data; at least one. */
  readonly data: readonly AgentLink[];
  readonly budget: ByteBudget;
  readonly window: FlightWindow;
  readonly codec: Codec;
  readonly recalls: boolean;
  /** Awaited before a payload is handed to a link, so that signs of life are not held up by a bandwidth limit. */
  readonly throttle: ((bytes: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** Larger pieces are fewer round trips through event loop and agent; those that are compressed are smaller, for several threads. */
const pieceBytes = maxPayloadBytes;
const readPieceBytes = 1024 * 1024;
/** From here on links are slower than processors, as a rule. */
const longWayMs = 5;
const zeroPieceBytes = 256 * 1024 * 1024;
const digestPieceBytes = 64 * 1024 * 1024;
const digestAnswerBytes = 512 * 1024;
const digestsInFlight = 4;
const recallBlockBytes = 64 * 1024;

const isLongWay = (roundTripMs: number): boolean => Number.isFinite(roundTripMs) && roundTripMs >= longWayMs;

/** One volume that is open in the agent under `handle`. */
export class VolumeWriter implements WorkerVolume {
  readonly alignmentBytes = 1;
  readonly sizeBytes: number;
  readonly #path: string;
  readonly #handle: number;
  readonly #links: WriterLinks;
  readonly #policy: CompressionPolicy;
  readonly #tuner: CompressionTuner;
  #closed: Promise<void> | undefined;
  #turn = 0;

  constructor(path: string, handle: number, sizeBytes: number, links: WriterLinks, policy: CompressionPolicy) {
    this.#path = path;
    this.#handle = handle;
    this.sizeBytes = sizeBytes;
    this.#links = links;
    this.#policy = policy;
    this.#tuner = new CompressionTuner(policy, links.codec, {
      longWay: isLongWay(links.control.roundTripMs),
      isBusy: packersAreBusy,
    });
  }

  get bytesInFlight(): number {
    return this.#links.window.bytes;
  }

  async write(offset: number, bytes: Uint8Array, signal: AbortSignal): Promise<{ readonly bytesSent: number }> {
    this.#check(offset, bytes.length);
    const longest = this.#tuner.compressing ? packedPieceBytes : pieceBytes;
    if (bytes.length <= longest) return { bytesSent: await this.#writePiece(offset, bytes, signal) };
    const pieces = cut(0, bytes.length, longest).map(({ offset: at, length }) =>
      this.#writePiece(offset + at, bytes.subarray(at, at + length), signal),
    );
    const sent = await allSettledOrThrow(pieces);
    return { bytesSent: sent.reduce((sum, count) => sum + count, 0) };
  }

  async zero(offset: number, length: number, signal: AbortSignal): Promise<void> {
    this.#check(offset, length);
    for (const piece of cut(offset, length, zeroPieceBytes)) {
      await this.#idlest().request({ type: 'ZERO', volume: this.#handle, ...piece }, signal);
    }
  }

  async flush(signal: AbortSignal): Promise<void> {
    this.#check(0, 0);
    await this.#links.control.request({ type: 'FLUSH', volume: this.#handle }, signal);
  }

  async digests(offset: number, length: number, blockBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    this.#check(offset, length);
    const perAnswer = Math.min(Math.floor(digestPieceBytes / blockBytes), digestAnswerBytes / 32);
    const pieces = cut(offset, length, Math.max(1, perAnswer) * blockBytes);
    const found: Buffer[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      for (let index = next++; index < pieces.length; index = next++) {
        const request = { type: 'DIGEST', volume: this.#handle, argument: blockBytes, ...pieces[index] } as const;
        found[index] = (await this.#links.control.request(request, signal)).payload;
      }
    };
    await allSettledOrThrow(Array.from({ length: digestsInFlight }, work));
    const result = Buffer.concat(found);
    const expected = Math.ceil(length / blockBytes) * 32;
    if (result.length !== expected) {
      throw new CausewayError(
        'transport.protocol',
        `${this.#path}: ${result.length} bytes of digests, expected ${expected}`,
      );
    }
    return result;
  }

  get recallBlockBytes(): number {
    return this.#links.recalls ? recallBlockBytes : 0;
  }

  async recall(offset: number, length: number, digests: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    this.#check(offset, length);
    const request = {
      type: 'RECALL',
      volume: this.#handle,
      offset,
      length,
      argument: recallBlockBytes,
      payload: digests,
    } as const;
    const { payload } = await this.#idlest().request(request, signal);
    if (payload.length * 32 !== digests.length)
      throw new CausewayError(
        'transport.protocol',
        `${this.#path}: an answer for ${payload.length} blocks, expected ${digests.length / 32}`,
      );
    return payload;
  }

  async read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    this.#check(offset, into.length);
    const { budget } = this.#links;
    await allSettledOrThrow(
      cut(0, into.length, readPieceBytes).map(async ({ offset: at, length }) => {
        await budget.take(length, signal);
        try {
          const { payload } = await this.#nextLink().request(
            { type: 'READ', volume: this.#handle, offset: offset + at, length },
            signal,
          );
          if (payload.length !== length)
            throw new CausewayError(
              'transport.protocol',
              `${this.#path}: ${payload.length} bytes instead of ${length}`,
            );
          copyBytes(payload, into, at);
        } finally {
          budget.give(length);
        }
      }),
    );
  }

  /** Lets the agent close the volume. Does not flush. Nothing to do when the session is lost: the agent closes then. */
  close(): Promise<void> {
    this.#closed ??= this.#links.control.lost.aborted
      ? Promise.resolve()
      : this.#links.control.request({ type: 'CLOSE', volume: this.#handle }, this.#links.control.lost).then(
          () => undefined,
          () => undefined,
        );
    return this.#closed;
  }

  async #writePiece(offset: number, bytes: Uint8Array, signal: AbortSignal): Promise<number> {
    const { budget, throttle, control, codec } = this.#links;
    await budget.take(bytes.length, signal);
    let packed: Packed | undefined;
    try {
      const epoch = this.#tuner.epoch;
      if (this.#isWorthPacking(bytes)) packed = await pack(bytes, codec);
      const payload = packed?.bytes ?? bytes;
      const flags = packed === undefined ? 0 : codec === 'zstd' ? frameFlags.ZSTD : frameFlags.DEFLATED;
      await throttle?.(payload.length + headBytes, AbortSignal.any([signal, control.lost]));
      const request = { type: 'WRITE', volume: this.#handle, offset, length: bytes.length, flags, payload } as const;
      await this.#idlest().request(request, signal);
      this.#tuner.acknowledged(epoch, bytes.length);
      this.#links.window.acknowledged(bytes.length, payload.length);
      return payload.length;
    } finally {
      packed?.release();
      budget.give(bytes.length);
    }
  }

  /** Where the processors are the bottleneck, what the link has room for goes as it is: so that both are busy. */
  #isWorthPacking(bytes: Uint8Array): boolean {
    if (!this.#tuner.compressing) return false;
    return this.#policy === 'always' || (looksCompressible(bytes) && !(packersAreBusy() && this.#linkHasRoom()));
  }

  #linkHasRoom(): boolean {
    const { data, window } = this.#links;
    return data.reduce((sum, link) => sum + link.outstandingBytes, 0) < window.linkBytes;
  }

  /** Answers weigh, not requests: links take turns. */
  #nextLink(): AgentLink {
    const { data, control } = this.#links;
    this.#turn += 1;
    return data[this.#turn % Math.max(1, data.length)] ?? control;
  }

  #idlest(): AgentLink {
    const { data, control } = this.#links;
    return data.reduce<AgentLink>(
      (best, link) => (link.outstandingBytes < best.outstandingBytes ? link : best),
      data[0] ?? control,
    );
  }

  #check(offset: number, length: number): void {
    if (this.#closed !== undefined) throw new CausewayError('transport.closed', `${this.#path} was closed`);
    if (offset < 0 || length < 0 || offset + length > this.sizeBytes) {
      throw new CausewayError(
        'transport.out-of-range',
        `${length} bytes at ${offset} do not fit into the ${this.sizeBytes} bytes of ${this.#path}`,
      );
    }
  }
}

function cut(
  offset: number,
  length: number,
  pieceLength: number,
): { readonly offset: number; readonly length: number }[] {
  const pieces = [];
  for (let at = 0; at < length; at += pieceLength) {
    pieces.push({ offset: offset + at, length: Math.min(pieceLength, length - at) });
  }
  return pieces;
}
