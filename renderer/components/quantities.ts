import { locale, text } from '../text/text.ts';

const numbers = [0, 1, 2].map(
  (digits) => new Intl.NumberFormat(locale, { maximumFractionDigits: digits, useGrouping: false }),
);

/** Bytes with a binary unit and at most three digits: 1536 → "1.5 KiB". */
export function bytesText(bytes: number): string {
  const units = text.units.bytes;
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${numbers[digits]!.format(value)} ${units[unit]}`;
}

export function rateText(bytesPerSecond: number): string {
  return text.units.perSecond(bytesText(bytesPerSecond));
}

/** Seconds in the two largest units: 3725 → "1 h 2 min". */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const { day, hour, minute, second } = text.units.time;
  const parts: [number, string][] = [
    [Math.floor(whole / 86_400), day],
    [Math.floor(whole / 3600) % 24, hour],
    [Math.floor(whole / 60) % 60, minute],
    [whole % 60, second],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  if (first === -1) return `0 ${second}`;
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(' ');
}

/** A point in time as people who read the page's language write it. */
export function timeText(iso: string | number): string {
  return new Date(iso).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium' });
}

/** The same without seconds, where there is little room. */
export function minuteText(iso: string): string {
  return new Date(iso).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' });
}

/** The time of the day alone, where the day is known. */
export function timeOfDayText(at: string | number): string {
  return new Date(at).toLocaleTimeString(locale);
}
