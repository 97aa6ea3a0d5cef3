import { CausewayError } from './causeway-error.ts';

/** `undefined` = unlimited, 0 = nothing may be sent for now. */
export type Rate = number | undefined;

/** One window of a profile: on these days (0 = Sunday), from a minute of the day to another one. */
export interface ProfileWindow {
  readonly days: readonly number[];
  /** Minutes since local midnight. `until` is exclusive; `until <= from` runs into the next day. */
  readonly from: number;
  readonly until: number;
  readonly bytesPerSecond: Rate;
}

/** Windows in order of precedence: the first one that holds wins; none = unlimited. */
export type BandwidthProfile = readonly ProfileWindow[];

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6] as const;
const DAY_MINUTES = 24 * 60;
const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
  kbit: 1e3 / 8,
  mbit: 1e6 / 8,
  gbit: 1e9 / 8,
};

function invalid(message: string, text: string): CausewayError {
  return new CausewayError('general.invalid-input', message, { details: { text } });
}

/**
 * A rate in bytes per second: `20M` (10^6), `20Mi` (2^20), `100Mbit` (bits), a plain number, `unlimited` or `pause`.
 * @throws CausewayError general.invalid-input
 */
export function parseRate(text: string): Rate {
  const word = text.trim().toLowerCase();
  if (word === 'unlimited') return undefined;
  if (word === 'pause') return 0;
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*?)(?:b?(?:\/s|ps))?$/.exec(word);
  const unit = match === null ? undefined : UNITS[match[2]!];
  if (match === null || unit === undefined) {
    throw invalid(`'${text.trim()}' is not a rate; write for example 20M, 512k, 100Mbit, unlimited or pause`, text);
  }
  const rate = Math.floor(Number(match[1]) * unit);
  if (!(rate >= 1024)) throw invalid(`the rate '${text.trim()}' is below 1 KiB/s; write pause to send nothing`, text);
  return rate;
}

/** A rate for people, in the unit that keeps the number short. */
export function formatRate(rate: Rate): string {
  if (rate === undefined) return 'unlimited';
  if (rate === 0) return 'pause';
  if (rate >= 1e9) return `${Number((rate / 1e9).toFixed(2))}G`;
  if (rate >= 1e6) return `${Number((rate / 1e6).toFixed(2))}M`;
  return `${Number((rate / 1e3).toFixed(2))}k`;
}

/**
 * A time-of-day profile in local time, for example `mon-fri 08:00-18:00=20M; sat 22:00-06:00=pause; *=unlimited`.
 * Each entry is `[days] [HH:MM-HH:MM] = rate`; days are names, lists (`mon,wed`) or ranges (`fri-mon`); a window that
 * ends before it starts runs past midnight. The first entry that holds wins; where none holds there is no limit.
 * @throws CausewayError general.invalid-input naming the entry and what is wrong with it
 */
export function parseProfile(text: string): BandwidthProfile {
  const entries = text
    .split(';')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  if (entries.length === 0) throw invalid('the bandwidth profile is empty', text);
  return entries.map((entry, index) => {
    try {
      return parseWindow(entry);
    } catch (error) {
      if (!(error instanceof CausewayError)) throw error;
      throw invalid(`entry ${index + 1} of the bandwidth profile ('${entry}'): ${error.message}`, text);
    }
  });
}

function parseWindow(entry: string): ProfileWindow {
  const equals = entry.indexOf('=');
  if (equals < 0) throw invalid("'=' is missing between the time and the rate", entry);
  const bytesPerSecond = parseRate(entry.slice(equals + 1));
  const words = entry
    .slice(0, equals)
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) throw invalid("the time before '=' is missing; write * for any time", entry);
  if (words.length === 1 && words[0] === '*') return { days: EVERY_DAY, from: 0, until: DAY_MINUTES, bytesPerSecond };
  if (words.length > 2) throw invalid('write days and one time range, for example mon-fri 08:00-18:00', entry);
  const [first, second] = words as [string, string | undefined];
  const timeFirst = /^\d/.test(first);
  if (second !== undefined && timeFirst) throw invalid(`write days before the time; '${second}' is after it`, entry);
  const days = timeFirst || first === '*' ? EVERY_DAY : parseDays(first);
  const time = timeFirst ? first : second;
  const [from, until] = time === undefined ? [0, DAY_MINUTES] : parseTimeRange(time);
  return { days, from, until, bytesPerSecond };
}

function parseDays(text: string): readonly number[] {
  const days = new Set<number>();
  for (const part of text.split(',')) {
    const [start, end, ...rest] = part.split('-').map(parseDay);
    if (rest.length > 0) throw invalid(`'${part}' is not a range of days`, text);
    for (let day = start!; ; day = (day + 1) % 7) {
      days.add(day);
      if (day === (end ?? start)) break;
    }
  }
  return [...days].sort((a, b) => a - b);
}

function parseDay(name: string): number {
  const day = DAYS.indexOf(name as (typeof DAYS)[number]);
  if (day < 0) throw invalid(`'${name}' is not a day; days are ${DAYS.join(', ')}`, name);
  return day;
}

function parseTimeRange(text: string): readonly [number, number] {
  const parts = text.split('-');
  if (parts.length !== 2) throw invalid(`'${text}' is not a time range; write for example 08:00-18:00`, text);
  const from = parseTime(parts[0]!, DAY_MINUTES - 1);
  const until = parseTime(parts[1]!, DAY_MINUTES);
  if (from === until) throw invalid(`the time range '${text}' is empty`, text);
  return [from, until];
}

function parseTime(text: string, latest: number): number {
  const match = /^(\d{1,2}):(\d{2})$/.exec(text);
  const minutes = match === null ? Number.NaN : Number(match[1]) * 60 + Number(match[2]);
  if (match === null || Number(match[2]) > 59 || minutes > latest) {
    throw invalid(`'${text}' is not a time of day; write HH:MM`, text);
  }
  return minutes;
}

/** The rate that holds at a moment, by the local time of that moment. */
export function rateAt(profile: BandwidthProfile, moment: Date): Rate {
  const day = moment.getDay();
  const minute = moment.getHours() * 60 + moment.getMinutes();
  const window = profile.find(({ days, from, until }) => {
    if (from < until) return days.includes(day) && minute >= from && minute < until;
    return (days.includes(day) && minute >= from) || (days.includes((day + 6) % 7) && minute < until);
  });
  return window?.bytesPerSecond;
}
