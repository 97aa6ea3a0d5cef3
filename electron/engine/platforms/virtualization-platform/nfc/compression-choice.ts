import { Compression, type CompressionType } from './protocol.ts';

const MIB = 2 ** 20;

/** Packings that cost the host and this computer more than leaving out zeros, and the rate of a link in bytes per second below which they are tried. */
const stronger: readonly { readonly compression: CompressionType; readonly belowRate: number }[] = [
  { compression: Compression.fastlz, belowRate: 40 * MIB },
  { compression: Compression.zlib, belowRate: 6 * MIB },
];
/** A link that gives this much more than a packing was tried for has become fast. */
const hysteresis = 1.5;
const windowMs = 1000;
const windowReads = 8;
/** Of each packing in a trial. */
const trialBytes = 8 * MIB;
/** The stronger packing must leave this much of the bytes of the other at most. */
const worthwhile = 0.85;
/** And the content must come this much faster with it: otherwise the host, or this computer, packs no faster than the link. */
const leastGain = 1.1;
/** Content that is read before a packing that did not help is tried again: other parts of the disk may differ. */
const restBytes = 512 * MIB;

/** A read that has come. */
export interface ReadTaken {
  readonly compression: CompressionType;
  readonly plainBytes: number;
  readonly wireBytes: number;
  /** The host had other reads to answer all the time, so that the time that passed is the link's. */
  readonly isBusy: boolean;
}

interface Tally {
  plain: number;
  wire: number;
}

type Phase =
  | { readonly kind: 'measure' }
  /** Reads take turns between the two packings, so that both meet the same content. */
  | {
      readonly kind: 'trial';
      readonly candidate: CompressionType;
      readonly rate: number;
      readonly now: Tally;
      readonly then: Tally;
    }
  | { readonly kind: 'verify'; readonly former: CompressionType; readonly rate: number; readonly ratio: number };

/**
 * Chooses how the fragments of a disk are packed by what the link brings. A fast link gets what costs next to nothing; on a slow one,
 * stronger packings are tried against it on the same content, and kept only if the content then really comes faster.
 */
export class CompressionChoice {
  readonly #clock: () => number;
  /** What costs next to nothing, of what the host is known to have. */
  readonly #first: CompressionType;
  readonly #onKept: (compression: CompressionType, rate: number) => void;
  #current: CompressionType;
  #phase: Phase = { kind: 'measure' };
  #window: { readonly since: number; wire: number; reads: number } | undefined;
  #trialReads = 0;
  /** Packings that have not helped, with how much is read before they are tried again; `Infinity` for those that the host refuses. */
  readonly #rests = new Map<CompressionType, number>();

  /** @param onKept a packing has proved itself; with the rate of the link, in bytes per second, that led to it */
  constructor(
    first: CompressionType,
    onKept: (compression: CompressionType, rate: number) => void = () => undefined,
    clock: () => number = () => performance.now(),
  ) {
    this.#first = this.#current = first;
    this.#onKept = onKept;
    this.#clock = clock;
  }

  get current(): CompressionType {
    return this.#current;
  }

  /** For the next read. */
  next(): CompressionType {
    if (this.#phase.kind !== 'trial') return this.#current;
    this.#trialReads += 1;
    return this.#trialReads % 2 === 0 ? this.#phase.candidate : this.#current;
  }

  took(read: ReadTaken): void {
    for (const [compression, left] of this.#rests) this.#rests.set(compression, left - read.plainBytes);
    if (this.#phase.kind === 'trial') this.#compare(this.#phase, read);
    else this.#measure(read);
  }

  /** A host may refuse a packing that it does not know. It is not asked for again. */
  refused(compression: CompressionType): void {
    const at = stronger.findIndex((one) => one.compression === compression);
    for (const one of stronger.slice(Math.max(0, at))) this.#rests.set(one.compression, Infinity);
    if (compression === this.#current) this.#current = at < 0 ? Compression.none : this.#weakerThan(at);
    this.reconnected();
  }

  /** The connection is another one, and so may be the link. */
  reconnected(): void {
    if (this.#phase.kind === 'verify') this.#current = this.#phase.former;
    this.#phase = { kind: 'measure' };
    this.#window = undefined;
  }

  #measure({ compression, wireBytes, isBusy }: ReadTaken): void {
    const now = this.#clock();
    // Reads that were asked for with another packing say nothing of this one.
    if (!isBusy || compression !== this.#current || this.#window === undefined) {
      this.#window = isBusy ? { since: now, wire: 0, reads: 0 } : undefined;
      return;
    }
    const window = this.#window;
    window.wire += wireBytes;
    window.reads += 1;
    if (now - window.since < windowMs || window.reads < windowReads) return;
    this.#window = { since: now, wire: 0, reads: 0 };
    const rate = (window.wire * 1000) / (now - window.since);
    if (this.#phase.kind === 'verify') this.#verify(this.#phase, rate);
    else this.#decide(rate);
  }

  #decide(rate: number): void {
    const at = stronger.findIndex(({ compression }) => compression === this.#current);
    const used = stronger[at];
    if (used !== undefined && rate > used.belowRate * hysteresis) {
      this.#current = this.#weakerThan(at);
      return;
    }
    const next = stronger[at + 1];
    if (next === undefined || rate >= next.belowRate || (this.#rests.get(next.compression) ?? 0) > 0) return;
    this.#phase = {
      kind: 'trial',
      candidate: next.compression,
      rate,
      now: { plain: 0, wire: 0 },
      then: { plain: 0, wire: 0 },
    };
  }

  #compare(trial: Extract<Phase, { kind: 'trial' }>, { compression, plainBytes, wireBytes }: ReadTaken): void {
    const { candidate, rate, now, then } = trial;
    const tally = compression === candidate ? then : now;
    tally.plain += plainBytes;
    tally.wire += wireBytes;
    if (now.plain < trialBytes || then.plain < trialBytes) return;
    this.#window = undefined;
    const ratio = now.wire === 0 ? 1 : then.wire / then.plain / (now.wire / now.plain);
    if (ratio > worthwhile) {
      this.#rests.set(candidate, restBytes);
      this.#phase = { kind: 'measure' };
      return;
    }
    this.#phase = { kind: 'verify', former: this.#current, rate, ratio };
    this.#current = candidate;
  }

  #verify({ former, rate: formerRate, ratio }: Extract<Phase, { kind: 'verify' }>, rate: number): void {
    this.#phase = { kind: 'measure' };
    if (rate / formerRate / ratio >= leastGain) return this.#onKept(this.#current, formerRate);
    this.#rests.set(this.#current, restBytes);
    this.#current = former;
  }

  /** What was asked for before the packing at this place in the list. */
  #weakerThan(at: number): CompressionType {
    return stronger[at - 1]?.compression ?? this.#first;
  }
}
