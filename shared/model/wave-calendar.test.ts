import { expect, test } from 'vitest';
import { plannedStarts } from './wave-calendar.ts';
import type { WavePlan } from './wave-plan.ts';

const at = (iso: string): number => Date.parse(iso);
const shown = (plan: WavePlan, from: string, to: string) =>
  plannedStarts(plan, at(from), at(to)).map((start) => [
    new Date(start.at).toISOString().slice(0, 16),
    start.kind,
    start.isBlackedOut,
  ]);

test('a synchronisation of every day comes once a day on days when the clocks change', () => {
  const plan: WavePlan = { synchronisation: { time: '02:30', zone: 'Europe/Berlin' } };
  expect(shown(plan, '2026-03-27T12:00:00Z', '2026-03-31T12:00:00Z')).toEqual([
    ['2026-03-28T01:30', 'synchronisation', false],
    ['2026-03-29T01:30', 'synchronisation', false],
    ['2026-03-30T00:30', 'synchronisation', false],
    ['2026-03-31T00:30', 'synchronisation', false],
  ]);
  expect(shown(plan, '2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z')).toEqual([
    ['2026-10-25T00:30', 'synchronisation', false],
    ['2026-10-26T01:30', 'synchronisation', false],
  ]);
});

test('days are those of the zone, also where it is another day in UTC', () => {
  const plan: WavePlan = { synchronisation: { time: '06:00', zone: 'Asia/Tokyo', days: ['mon'] } };
  expect(shown(plan, '2026-11-20T00:00:00Z', '2026-12-01T00:00:00Z')).toEqual([
    ['2026-11-22T21:00', 'synchronisation', false],
    ['2026-11-29T21:00', 'synchronisation', false],
  ]);
});

test('a black-out covers what begins in it, its end excluded', () => {
  const plan: WavePlan = {
    synchronisation: { time: '22:00', zone: 'UTC' },
    window: { date: '2026-11-28', time: '20:00', zone: 'UTC', hours: 6 },
    blackOuts: [{ fromDate: '2026-11-27', fromTime: '22:00', toDate: '2026-11-28', toTime: '22:00', zone: 'UTC' }],
  };
  expect(shown(plan, '2026-11-26T23:00:00Z', '2026-11-28T22:00:00Z')).toEqual([
    ['2026-11-27T22:00', 'synchronisation', true],
    ['2026-11-28T20:00', 'window', true],
    ['2026-11-28T22:00', 'synchronisation', false],
  ]);
});

test('the first instant is excluded and the last included, so that looks one after another miss and repeat nothing', () => {
  const plan: WavePlan = { synchronisation: { time: '12:00', zone: 'UTC' } };
  expect(shown(plan, '2026-11-23T12:00:00Z', '2026-11-24T12:00:00Z')).toHaveLength(1);
});
