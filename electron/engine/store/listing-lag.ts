import type { LedgerEntry } from '../ports/ledger.ts';
import type { LedgerEntryStore } from './ledger-entries.ts';

/**
 * When to look for a resource again, in milliseconds after the platform was last asked to create it. A platform's lists
 * may lag behind its creations, and a request may still be under way when the process that sent it has ended.
 */
const lookTimes = [1_000, 3_000, 7_000, 15_000, 30_000] as const;

/** A laptop's clock may be set by hours: only an entry that is older than this by the wall clock is surely old. */
const surelyOldMs = 24 * 3_600_000;

/**
 * Looks for the resource until it is found, or until so much time has passed since the request that it would be
 * listed. Time counts by the monotonic clock; for a request of an earlier process it counts from this one's start, as
 * it is unknown how long ago that process ended.
 */
export async function lookThroughLag<T>(
  entries: LedgerEntryStore,
  entry: LedgerEntry,
  look: (signal: AbortSignal) => Promise<T | undefined>,
  signal: AbortSignal,
): Promise<T | undefined> {
  const { clock } = entries;
  let passed = clock.monotonic() - entries.lastAsked(entry.entryId);
  let found = await look(signal);
  for (const at of lookTimes) {
    if (found !== undefined) return found;
    if (at <= passed) continue;
    await clock.sleep(at - passed, signal);
    passed = at;
    found = await look(signal);
  }
  return found;
}

/** Whether the platform's lists may not show yet what it confirmed. */
export function mayStillLag(entries: LedgerEntryStore, entry: LedgerEntry): boolean {
  return Math.abs(entries.clock.wallTime() - Date.parse(entry.createdAt)) < surelyOldMs;
}
