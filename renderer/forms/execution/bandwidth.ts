import {
  formatRate,
  parseProfile,
  parseRate,
  rateAt,
  type BandwidthProfile,
  type Rate,
} from '../../../shared/model/bandwidth-profile.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { ExecutionOptions } from '../../../shared/model/execution.ts';

/** The two options of an execution that limit it; neither = unlimited. */
export type BandwidthOptions = Pick<ExecutionOptions, 'bandwidthLimit' | 'bandwidthProfile'>;

export type ReadBandwidth =
  | { readonly options: BandwidthOptions; readonly profile?: BandwidthProfile }
  | { readonly error: string };

/** What somebody wrote: nothing (unlimited), a rate, or a profile by time of day, which is told by its `=`. */
export function readBandwidth(written: string): ReadBandwidth {
  const trimmed = written.trim();
  if (trimmed === '') return { options: {} };
  try {
    if (trimmed.includes('=')) return { options: { bandwidthProfile: trimmed }, profile: parseProfile(trimmed) };
    const rate = trimmed === '0' ? 0 : parseRate(trimmed);
    return { options: rate === undefined ? {} : { bandwidthLimit: rate } };
  } catch (error) {
    return { error: error instanceof CausewayError ? error.message : String(error) };
  }
}

/** The options as somebody would write them. */
export function bandwidthText({ bandwidthLimit, bandwidthProfile }: BandwidthOptions): string {
  if (bandwidthLimit !== undefined) return formatRate(bandwidthLimit);
  return bandwidthProfile ?? '';
}

/** What holds at a moment, in bytes per second: undefined = unlimited, 0 = paused. */
export function rateNow({ bandwidthLimit, bandwidthProfile }: BandwidthOptions, moment: Date): Rate {
  if (bandwidthLimit !== undefined) return bandwidthLimit;
  if (bandwidthProfile === undefined) return undefined;
  const read = readBandwidth(bandwidthProfile);
  return 'profile' in read && read.profile !== undefined ? rateAt(read.profile, moment) : undefined;
}

export interface WeekSpan {
  /** Minutes since midnight; `until` is exclusive. */
  readonly from: number;
  readonly until: number;
  readonly rate: Rate;
}

/** What holds when, for each day of a week from Monday on. */
export function weekOf(profile: BandwidthProfile): readonly (readonly WeekSpan[])[] {
  // 2024-01-01 was a Monday.
  return Array.from({ length: 7 }, (_, day) => {
    const spans: WeekSpan[] = [];
    for (let minute = 0; minute < 24 * 60; minute += 15) {
      const rate = rateAt(profile, new Date(2024, 0, 1 + day, Math.floor(minute / 60), minute % 60));
      const last = spans.at(-1);
      if (last !== undefined && last.rate === rate) spans[spans.length - 1] = { ...last, until: minute + 15 };
      else spans.push({ from: minute, until: minute + 15, rate });
    }
    return spans;
  });
}
