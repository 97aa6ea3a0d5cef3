import { expect, test } from 'vitest';
import { dateAfter, instantOf, wallTimeAt } from './wall-time.ts';

const iso = (date: string, time: string, zone: string) => {
  const { at, kind } = instantOf(date, time, zone);
  return [new Date(at).toISOString().slice(0, 16), kind];
};

test('a time of an ordinary day, in zones on both sides of the date line', () => {
  expect(iso('2026-11-28', '22:00', 'Europe/Berlin')).toEqual(['2026-11-28T21:00', 'exact']);
  expect(iso('2026-07-01', '22:00', 'Europe/Berlin')).toEqual(['2026-07-01T20:00', 'exact']);
  expect(iso('2026-01-01', '00:30', 'Pacific/Kiritimati')).toEqual(['2025-12-31T10:30', 'exact']);
  expect(iso('2026-01-01', '00:30', 'Pacific/Pago_Pago')).toEqual(['2026-01-01T11:30', 'exact']);
  expect(iso('2026-06-01', '12:00', 'Asia/Kathmandu')).toEqual(['2026-06-01T06:15', 'exact']);
});

test('a time that the clocks jump over is as long after the jump', () => {
  expect(iso('2026-03-29', '01:59', 'Europe/Berlin')).toEqual(['2026-03-29T00:59', 'exact']);
  expect(iso('2026-03-29', '02:30', 'Europe/Berlin')).toEqual(['2026-03-29T01:30', 'gap']);
  expect(iso('2026-03-29', '03:00', 'Europe/Berlin')).toEqual(['2026-03-29T01:00', 'exact']);
  expect(iso('2026-03-08', '02:30', 'America/New_York')).toEqual(['2026-03-08T07:30', 'gap']);
  // By half an hour.
  expect(iso('2026-10-04', '02:15', 'Australia/Lord_Howe')).toEqual(['2026-10-03T15:45', 'gap']);
});

test('a time that comes twice is the first of the two', () => {
  expect(iso('2026-10-25', '02:30', 'Europe/Berlin')).toEqual(['2026-10-25T00:30', 'repeated']);
  expect(iso('2026-10-25', '03:00', 'Europe/Berlin')).toEqual(['2026-10-25T02:00', 'exact']);
  expect(iso('2026-11-01', '01:30', 'America/New_York')).toEqual(['2026-11-01T05:30', 'repeated']);
});

test('every quarter of an hour of the days around a change is shown by the clocks as it was asked for, or is in the gap', () => {
  for (const [date, zone] of [
    ['2026-03-28', 'Europe/Berlin'],
    ['2026-10-24', 'Europe/Berlin'],
    ['2026-10-03', 'Australia/Lord_Howe'],
    ['2026-03-07', 'America/St_Johns'],
  ] as const) {
    for (let minute = 0; minute < 3 * 1440; minute += 15) {
      const asked = {
        date: dateAfter(date, Math.floor(minute / 1440)),
        time: new Date((minute % 1440) * 60_000).toISOString().slice(11, 16),
      };
      const { at, kind } = instantOf(asked.date, asked.time, zone);
      const { date: shownDate, time } = wallTimeAt(at, zone);
      if (kind === 'gap') expect(`${shownDate} ${time}` > `${asked.date} ${asked.time}`).toBe(true);
      else expect({ date: shownDate, time }).toEqual(asked);
    }
  }
});

test('weekdays begin with Monday', () => {
  expect(wallTimeAt(Date.parse('2026-11-23T12:00:00Z'), 'Europe/Berlin').weekday).toBe(0);
  expect(wallTimeAt(Date.parse('2026-11-22T12:00:00Z'), 'Europe/Berlin').weekday).toBe(6);
});
