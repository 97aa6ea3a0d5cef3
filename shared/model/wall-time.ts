/** What the clocks of a zone show, and when that is. */
export interface Instant {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `gap`: the clocks jump over this time, and the instant is as long after the jump as the time is after its begin; `repeated`: they show it twice, and the instant is the first. */
  readonly kind: 'exact' | 'gap' | 'repeated';
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** What clocks in the zone show at an instant, as if it was UTC. */
function shownAt(zone: string, at: number): number {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  const parts = new Map<string, number>(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (type: string): number => parts.get(type) ?? 0;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

const day = 86_400_000;

/**
 * When clocks in a zone show a date and a time.
 * @param date as 2026-11-28
 * @param time as 22:00
 * @param zone IANA
 */
export function instantOf(date: string, time: string, zone: string): Instant {
  const wanted = Date.parse(`${date}T${time}:00Z`);
  // Offsets change at most once within two days, so those a day before and after are all that there are.
  const offsets = [...new Set([wanted - day, wanted + day].map((at) => shownAt(zone, at) - at))];
  const candidates = offsets.map((offset) => wanted - offset);
  const found = candidates.filter((at) => shownAt(zone, at) === wanted).sort((one, other) => one - other);
  if (found.length > 0) return { at: found[0]!, kind: found.length > 1 ? 'repeated' : 'exact' };
  // The offset before the jump: 02:30 becomes 03:30.
  return { at: wanted - offsets[0]!, kind: 'gap' };
}

/** The date and time that clocks in a zone show. */
export function wallTimeAt(
  at: number,
  zone: string,
): { readonly date: string; readonly time: string; readonly weekday: number } {
  const shown = new Date(shownAt(zone, at));
  const iso = shown.toISOString();
  // 0 is Monday.
  return { date: iso.slice(0, 10), time: iso.slice(11, 16), weekday: (shown.getUTCDay() + 6) % 7 };
}

/** The date that many days later. */
export function dateAfter(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * day).toISOString().slice(0, 10);
}
