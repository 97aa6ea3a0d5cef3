import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { systemClock, type Clock } from '../time/clock.ts';
import { parseProfile, rateAt, type BandwidthProfile, type Rate } from '../../../shared/model/bandwidth-profile.ts';

export interface BandwidthSettings {
  /** A constant limit. With a profile too, the lower of both holds. Undefined: no constant limit. */
  readonly bytesPerSecond?: number | undefined;
  /** A limit by time of day, parsed or as text. */
  readonly profile?: BandwidthProfile | string | undefined;
}

/** Shared by everything that sends under one limit. */
export interface BandwidthLimiter {
  /**
   * Resolves when `bytes` may be sent. Rejects with the signal's reason when aborted.
   * @param by who asks: those that wait get equal shares, however much each asks for; requests of one are granted in order
   */
  take(bytes: number, signal: AbortSignal, by?: object): Promise<void>;
  /** Gives back what was taken and then not sent (compression, a zero run). */
  refund(bytes: number, by?: object): void;
  /** Applies new settings immediately, also to waiting senders. Replaces all former ones. */
  set(settings: BandwidthSettings): void;
  /** The current limit, without parents: undefined = unlimited, 0 = paused. */
  readonly bytesPerSecond: Rate;
}

interface Waiter {
  readonly bytes: number;
  /** Its turn, in bytes that its asker has been granted or waits for: the lowest is next. */
  readonly turn: number;
  readonly grant: () => void;
}

/** The burst allowed after a pause: what a quarter of a second allows. */
const BURST_SECONDS = 0.25;
/** A profile's next window, or a clock that was set, is noticed within this time. */
const REVIEW_MILLISECONDS = 15_000;

/**
 * A token bucket. A grant is made when the bucket is not empty and may take it below zero, so that a request larger
 * than the burst needs no splitting and the long-term rate is still kept.
 * @param options.parent a wider limit that also applies, shared equally by those that wait under it (executions under a project)
 */
export function createBandwidthLimiter(
  options: BandwidthSettings & { readonly parent?: BandwidthLimiter; readonly clock?: Clock } = {},
): BandwidthLimiter {
  const clock = options.clock ?? systemClock;
  const waiters: Waiter[] = [];
  const itself = {};
  // Turns continue from `turn`, so that nobody saves up what it did not use while it asked for nothing.
  const nextTurns = new WeakMap<object, number>();
  let turn = 0;
  let settings = readSettings(options);
  let rate = currentRate();
  let tokens = (rate ?? 0) * BURST_SECONDS;
  let filledAt = clock.monotonic();
  let callOff: (() => void) | undefined;

  function currentRate(): Rate {
    const byTime = settings.profile === undefined ? undefined : rateAt(settings.profile, new Date(clock.wallTime()));
    if (byTime === undefined || settings.bytesPerSecond === undefined) return byTime ?? settings.bytesPerSecond;
    return Math.min(byTime, settings.bytesPerSecond);
  }

  function fill(): void {
    const now = clock.monotonic();
    const before = rate;
    rate = currentRate();
    // The elapsed time counts at the rate that held in it; bytes sent without a limit are not charged later.
    tokens = before === undefined ? Math.max(tokens, 0) : tokens + (before * (now - filledAt)) / 1000;
    tokens = Math.min(tokens, (rate ?? 0) * BURST_SECONDS);
    filledAt = now;
  }

  function pump(): void {
    callOff?.();
    callOff = undefined;
    fill();
    while (waiters.length > 0 && (rate === undefined || (rate > 0 && tokens > 0))) {
      const waiter = waiters.shift()!;
      turn = Math.max(turn, waiter.turn);
      if (rate !== undefined) tokens -= waiter.bytes;
      waiter.grant();
    }
    if (waiters.length === 0) return;
    const wait = rate === undefined || rate === 0 ? REVIEW_MILLISECONDS : ((1 - tokens) / rate) * 1000;
    callOff = clock.after(Math.min(Math.max(wait, 1), REVIEW_MILLISECONDS), pump);
  }

  function own(bytes: number, signal: AbortSignal, by: object): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const onAbort = (): void => {
        const index = waiters.indexOf(waiter);
        if (index >= 0) waiters.splice(index, 1);
        nextTurns.set(by, (nextTurns.get(by) ?? 0) - bytes);
        reject(signal.reason as Error);
      };
      const ownTurn = Math.max(turn, nextTurns.get(by) ?? 0);
      nextTurns.set(by, ownTurn + bytes);
      const waiter: Waiter = {
        bytes,
        turn: ownTurn,
        grant: () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      waiters.splice(waiters.findLastIndex((other) => other.turn <= waiter.turn) + 1, 0, waiter);
      if (waiters.length === 1) pump();
    });
  }

  return {
    async take(bytes, signal, by = itself) {
      await own(bytes, signal, by);
      await options.parent?.take(bytes, signal, itself);
    },
    refund(bytes, by = itself) {
      tokens += bytes;
      nextTurns.set(by, (nextTurns.get(by) ?? 0) - bytes);
      options.parent?.refund(bytes, itself);
      if (waiters.length > 0) pump();
    },
    set(next) {
      fill();
      settings = readSettings(next);
      pump();
    },
    get bytesPerSecond() {
      return currentRate();
    },
  };
}

function readSettings(settings: BandwidthSettings): {
  readonly bytesPerSecond: Rate;
  readonly profile: BandwidthProfile | undefined;
} {
  const { bytesPerSecond, profile } = settings;
  if (bytesPerSecond !== undefined && !(Number.isFinite(bytesPerSecond) && bytesPerSecond >= 0)) {
    throw new CausewayError(
      'general.invalid-input',
      `a bandwidth limit of ${bytesPerSecond} bytes per second is not valid`,
    );
  }
  return { bytesPerSecond, profile: typeof profile === 'string' ? parseProfile(profile) : profile };
}
