import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WaveAction } from '../../../shared/model/wave-action.ts';
import type { WavePlan } from '../../../shared/model/wave-plan.ts';
import { openStore, type Store } from '../store/store.ts';
import { lookAtCalendar } from './calendar.ts';

const minute = 60_000;
let folder: string;
let store: Store;
let now: number;
let plan: WavePlan;
let started: [WaveAction, string][];
let told: string[];
let isLocked: boolean;
let isActive: boolean;
let known: Map<string, string>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-calendar-'));
  store = openStore(folder);
  known = new Map();
  [now, plan, started, told, isLocked, isActive] = [
    Date.parse('2026-11-23T12:00:00Z'),
    { synchronisation: { time: '22:00', zone: 'UTC' } },
    [],
    [],
    false,
    false,
  ];
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function lookAt(time: string): Promise<void> {
  now = Date.parse(`2026-11-${time}:00Z`);
  await lookAtCalendar({
    store: store.waveCalendar,
    known,
    waves: () => [{ name: 'w', plan }],
    mayStart: async () => !isLocked,
    isActive: () => isActive,
    now: () => now,
    startedAt: () => (started.length === 0 ? undefined : Date.parse(started.at(-1)![1])),
    start: async (_wave, action) => started.push([action, new Date(now).toISOString()]),
    emit: ({ message }) => told.push(message),
  });
}

test('what is due starts once, however often somebody looks, and nothing that was due before the first look', async () => {
  for (const time of ['23T22:30', '24T21:59', '24T22:00', '24T22:01', '24T22:02', '25T22:04']) await lookAt(time);
  expect(started).toEqual([
    ['synchronise', '2026-11-24T22:00:00.000Z'],
    ['synchronise', '2026-11-25T22:04:00.000Z'],
  ]);
});

test('what the computer slept through waits for a person, is skipped or is started now, as the plan says; the newest stands for all', async () => {
  await lookAt('23T12:00');
  await lookAt('26T08:00');
  expect([started, store.waveCalendar.listMissed()]).toEqual([
    [],
    [
      {
        wave: 'w',
        at: Date.parse('2026-11-25T22:00:00Z'),
        until: Date.parse('2026-11-26T22:00:00Z'),
        action: 'synchronise',
      },
    ],
  ]);
  expect(told.filter((message) => message.includes('a later one stands for it'))).toHaveLength(2);
  plan = { ...plan, ifMissed: 'skip' };
  await lookAt('27T08:00');
  expect([started, store.waveCalendar.listMissed()]).toEqual([[], []]);
  plan = { ...plan, ifMissed: 'catch-up' };
  await lookAt('28T08:00');
  expect(started).toEqual([['synchronise', '2026-11-28T08:00:00.000Z']]);
});

test('a window that is over is not started late', async () => {
  plan = {
    window: { date: '2026-11-24', time: '22:00', zone: 'UTC', hours: 4 },
    startsWith: 'cut-over',
    ifMissed: 'catch-up',
  };
  await lookAt('23T12:00');
  await lookAt('25T02:00');
  expect(started).toEqual([]);
  expect(told.at(-1)).toContain('was skipped');
});

test('a window starts in time, and not within a black-out or while the wave is in progress', async () => {
  plan = {
    window: { date: '2026-11-24', time: '22:00', zone: 'UTC', hours: 4 },
    startsWith: 'rehearse',
    blackOuts: [{ fromDate: '2026-11-24', fromTime: '20:00', toDate: '2026-11-24', toTime: '23:00', zone: 'UTC' }],
  };
  await lookAt('24T21:59');
  await lookAt('24T22:00');
  expect([started, told.length]).toEqual([[], 1]);
  plan = { window: { date: '2026-11-25', time: '22:00', zone: 'UTC', hours: 4 }, startsWith: 'rehearse' };
  isActive = true;
  await lookAt('25T22:00');
  expect([started, told.length]).toEqual([[], 2]);
});

test('what was missed is not caught up within a black-out', async () => {
  plan = {
    ...plan,
    ifMissed: 'catch-up',
    blackOuts: [{ fromDate: '2026-11-25', fromTime: '08:00', toDate: '2026-11-25', toTime: '18:00', zone: 'UTC' }],
  };
  await lookAt('24T12:00');
  await lookAt('25T09:00');
  expect([started, told.filter((message) => message.includes('black-out')).length]).toEqual([[], 1]);
  await lookAt('26T09:00');
  expect(started).toEqual([['synchronise', '2026-11-26T09:00:00.000Z']]);
});

test('with a locked vault nothing is started and nothing is forgotten', async () => {
  await lookAt('24T21:59');
  isLocked = true;
  await lookAt('24T22:01');
  isLocked = false;
  await lookAt('24T22:03');
  expect(started).toHaveLength(1);
  expect(now - Date.parse('2026-11-24T22:00:00Z')).toBe(3 * minute);
});

test('an engine that takes the calendar over starts what became due in between, repeats nothing, and is told of few looks', async () => {
  await lookAt('23T12:00');
  for (const time of ['23T22:00', '23T22:01', '24T12:00', '24T21:00', '24T21:59']) await lookAt(time);
  expect(started).toEqual([['synchronise', '2026-11-23T22:00:00.000Z']]);
  // What is shared: the first look at the plan, and the one at which something was due.
  const own = store;
  const other = mkdtempSync(join(tmpdir(), 'causeway-calendar-'));
  store = openStore(other);
  known = new Map();
  store.db
    .prepare('INSERT INTO wave_carried VALUES (?, ?)')
    .run('w', Number(own.db.prepare('SELECT until FROM wave_carried').get()!['until']));
  expect(store.waveCalendar.lookedAt('w')).toBe(Date.parse('2026-11-23T22:00:00Z'));
  await lookAt('24T22:02');
  expect([started.slice(1), told.filter((message) => message.includes('skipped'))]).toEqual([
    [['synchronise', '2026-11-24T22:02:00.000Z']],
    [],
  ]);
  own.close();
  rmSync(other, { recursive: true });
});
