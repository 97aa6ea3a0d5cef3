import { morphLinuxGuest, type MorphOutcome, type MorphRequest } from './morph-linux-guest.ts';
import { morphWindowsOffline } from './windows/offline-guest.ts';

/** Prepares a guest on a Linux worker. */
export type MorphGuest = (request: MorphRequest) => Promise<MorphOutcome>;

const kinds: Readonly<Record<'linux' | 'windows', MorphGuest>> = {
  linux: morphLinuxGuest,
  windows: morphWindowsOffline,
};

/** The way to prepare guests of a kind on a Linux worker. */
export function morphGuestOf(osType: 'linux' | 'windows'): MorphGuest {
  return kinds[osType];
}
