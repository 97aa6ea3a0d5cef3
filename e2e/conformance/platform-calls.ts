import { expect } from 'vitest';
import type { LedgerEntryStore } from '../../electron/engine/store/ledger-entries.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { shuffled } from '../rigs/seeded.ts';

/**
 * What can happen to one call of a platform's API.
 * - `refused-for-now`, `throttled`: answered with an error that says to try later; nothing is done
 * - `cut-before`: the link breaks before anything is done; `cut-after`: it is done, the answer is lost
 * - `gateway-error-after`: it is done, the answer is a gateway's error
 * - `never-answered`: nothing is done, and nothing comes back
 * - `fails-later`: accepted, but what it was to make fails afterwards
 */
export const callFaults = [
  'refused-for-now',
  'throttled',
  'cut-before',
  'gateway-error-after',
  'cut-after',
  'never-answered',
  'fails-later',
] as const;
export type CallFault = (typeof callFaults)[number];

/** When a process ends: before the platform carries a call out, or after that and before its answer arrives. */
export type Moment = 'before' | 'after';

/** The calls of a platform's API in a lab: counted from 1, named, and made to go wrong by number. */
export interface PlatformCalls {
  /** What this lab can let happen to a call. */
  readonly faults: readonly CallFault[];
  /** How many calls came in so far. */
  callCount(): number;
  /** What was called, by number from 1. */
  callName(number: number): string;
  /** Whether it may have changed something; a call that only reads can't fail later. */
  callChanges(number: number): boolean;
  /** Lets the `n`th call from now on (from 1) go wrong, once. */
  failCall(n: number, fault: CallFault): void;
  /**
   * Ends the link from the `n`th call from now on: that one is not carried out, or is but not answered; later ones never
   * are. Tells of each of them as it comes in.
   */
  cutOff(n: number, when: Moment, onCall: () => void): void;
  /** Takes back what `failCall` and `cutOff` asked for. */
  clearFaults(): void;
}

/**
 * Which share of the calls a fault is tried at: [every nth, beginning with]. Faults that look alike to a platform take
 * turns, so that each call meets each sort.
 */
const shares: Readonly<Record<CallFault, readonly [number, number]>> = {
  'refused-for-now': [3, 0],
  throttled: [3, 1],
  'cut-before': [3, 2],
  'gateway-error-after': [1, 0],
  'cut-after': [2, 0],
  'never-answered': [4, 1],
  'fails-later': [1, 0],
};
/** Every fault and crash point, instead of a sample. */
export const triesAll = process.env['CAUSEWAY_ALL_FAULTS'] === '1';
/** The usual tier takes a quarter of each sample. */
const share = process.env['CAUSEWAY_EVERY_STEP'] === '1' ? 1 : 0.25;
const seed = Number(process.env['CAUSEWAY_FAULT_SEED'] ?? 1);
/** How long a test that goes through faults or crash points may take: all of them are hundreds, some of which wait for an answer that never comes. */
export const faultPatienceMs = triesAll ? 3_600_000 : 1_200_000;

/** So many of the cases, in the usual tier a quarter as many, drawn by `CAUSEWAY_FAULT_SEED`; all of them with `CAUSEWAY_ALL_FAULTS=1`. */
export function sampleOf<T>(cases: readonly T[], most: number): readonly T[] {
  return triesAll ? cases : shuffled(cases, seed).slice(0, Math.ceil(most * share));
}

/** The calls, from 1, at which a fault is tried in a stretch of `calls` calls that began after `start`. */
export function callsToFail(lab: PlatformCalls, fault: CallFault, start: number, calls: number): readonly number[] {
  const [every, from] = triesAll ? [1, 0] : shares[fault];
  return Array.from({ length: calls }, (_, index) => index + 1)
    .filter((n) => n % every === from % every)
    .filter((n) => fault !== 'fails-later' || lab.callChanges(start + n));
}

export interface FaultAtCall {
  readonly n: number;
  readonly fault: CallFault;
}

/** All faults at all calls are hundreds: a test for each sort, so that each can run alone and has its own time. A sample is one test. */
export const faultSorts: readonly { readonly sort: CallFault | undefined; readonly label: string }[] = triesAll
  ? callFaults.map((sort) => ({ sort, label: ` (${sort})` }))
  : [{ sort: undefined, label: '' }];
export const ofSort =
  (sort: CallFault | undefined) =>
  ({ fault }: FaultAtCall): boolean =>
    sort === undefined || fault === sort;

/** Every fault at every call of a stretch, or a sample of them. */
export function faultsAt(lab: PlatformCalls, start: number, calls: number, most: number): readonly FaultAtCall[] {
  return sampleOf(
    lab.faults.flatMap((fault) => callsToFail(lab, fault, start, calls).map((n) => ({ n, fault }))),
    most,
  );
}

export interface CrashPoint {
  readonly n: number;
  readonly when: Moment;
}

/**
 * Every crash point of a stretch of calls that began after `start`, or a sample of them, half of it right after calls that
 * change something, where a lost answer matters most. Each comes twice in a row, so that a caller that alternates between
 * going on and giving up does both.
 */
export function crashPoints(lab: PlatformCalls, start: number, calls: number, most: number): readonly CrashPoint[] {
  const points = Array.from(
    { length: calls },
    (_, index) =>
      [
        { n: index + 1, when: 'before' },
        { n: index + 1, when: 'after' },
      ] as const,
  ).flat();
  const lost = points.filter(({ n, when }) => when === 'after' && lab.callChanges(start + n));
  const half = Math.ceil((most * share) / 2);
  const first = shuffled(lost, seed).slice(0, half);
  const chosen = triesAll
    ? points
    : [
        ...first,
        ...shuffled(
          points.filter((point) => !first.includes(point)),
          seed,
        ).slice(0, Math.floor(half / 2)),
      ];
  return chosen.flatMap((point) => [point, point]);
}

/** A process that was killed: whatever of it still runs here meets this error. */
class ProcessEnded extends Error {}

export interface MortalProcess {
  readonly signal: AbortSignal;
  /** The store's ledger as long as the process lives. Afterwards nothing is written or read. */
  ledger(entries: LedgerEntryStore): LedgerEntryStore;
}

/**
 * Carries out `work` as a process that is killed at a call: what it has not written to the ledger by then is never
 * written, and no later call of it has an effect. Answers with whether it came to that.
 */
export async function killedAt(
  lab: PlatformCalls,
  { n, when }: CrashPoint,
  work: (process: MortalProcess) => Promise<unknown>,
): Promise<boolean> {
  const cancel = new AbortController();
  let isAlive = true;
  lab.cutOff(n, when, () => {
    // A call under way is carried out to its end: the rest of the work is only stopped at the next one.
    if (!isAlive || when === 'before') cancel.abort(new CausewayError('general.cancelled', 'the process was killed'));
    isAlive = false;
  });
  const ledger = (entries: LedgerEntryStore): LedgerEntryStore =>
    new Proxy(entries, {
      get(target, name, receiver) {
        const member: unknown = Reflect.get(target, name, receiver);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          if (!isAlive) throw new ProcessEnded('the process was killed');
          return Reflect.apply(member, target, args);
        };
      },
    });
  try {
    await work({ signal: cancel.signal, ledger });
  } catch (error) {
    if (isAlive) throw error;
  } finally {
    lab.clearFaults();
  }
  return !isAlive;
}

/** Resolves with the error of an attempt, which has to be one that people can act on; undefined when it went well. */
export async function clearErrorOf(
  attempt: Promise<unknown>,
  codes: RegExp,
  at: string,
): Promise<CausewayError | undefined> {
  try {
    await attempt;
    return undefined;
  } catch (error) {
    if (!(error instanceof CausewayError)) throw error;
    expect(error.code, `${at}: ${error.message}`).toMatch(codes);
    return error;
  }
}
