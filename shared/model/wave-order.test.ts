import { expect, test } from 'vitest';
import { restGroup, waveOrder } from './wave-order.ts';

const replicas = ['web-2', 'web-10', 'app', 'db'].map((name) => ({ id: `rep-${name}`, name }));
const names = (order: ReturnType<typeof waveOrder>) => order.members.map(({ name, group }) => [name, group]);

test('members without a plan are one group, in the order of their names as people count', () => {
  const order = waveOrder(replicas, undefined);
  expect(order.groups).toEqual([{ name: restGroup, needsGo: false }]);
  expect(names(order)).toEqual([
    ['app', 0],
    ['db', 0],
    ['web-2', 0],
    ['web-10', 0],
  ]);
});

test('groups come in their order, the others after them; the first group that names a member has it', () => {
  const order = waveOrder(replicas, {
    groups: [
      { name: 'Databases', members: ['db'] },
      { name: 'Nobody', members: ['gone'] },
      { name: 'Applications', needsGo: true, members: ['rep-app', 'db'] },
    ],
  });
  expect(order.groups).toEqual([
    { name: 'Databases', needsGo: false },
    { name: 'Applications', needsGo: true },
    { name: restGroup, needsGo: false },
  ]);
  expect(names(order)).toEqual([
    ['db', 0],
    ['app', 1],
    ['web-2', 2],
    ['web-10', 2],
  ]);
  expect(order.unknown).toEqual(['gone']);
});

test('members that wait for each other are named, and those of an earlier group that wait for a later one', () => {
  expect(waveOrder(replicas, { after: { app: ['db'], 'web-2': ['app'] } }).circular).toEqual([]);
  expect(waveOrder(replicas, { after: { app: ['db'], db: ['web-2'], 'web-2': ['app'] } }).circular.toSorted()).toEqual([
    'app',
    'db',
    'web-2',
  ]);
  expect(
    waveOrder(replicas, { groups: [{ name: 'First', members: ['app'] }], after: { app: ['db'] } }).circular,
  ).toEqual(['app']);
  expect(waveOrder(replicas, { after: { app: ['app'] } }).circular).toEqual(['app']);
  expect(waveOrder([], { after: { app: ['app'] } }).circular).toEqual([]);
});

test('within a group those come first that keep the wave busy for longest, with what waits for them', () => {
  const seconds = { 'web-2': 50, 'web-10': 900, app: 400, db: 30 };
  const estimated = replicas.map((replica) => ({ ...replica, seconds: seconds[replica.name as keyof typeof seconds] }));
  expect(names(waveOrder(estimated, undefined)).map(([name]) => name)).toEqual(['web-10', 'app', 'web-2', 'db']);
  // db takes 30 s, and 1,350 s with what waits for it.
  expect(names(waveOrder(estimated, { after: { app: ['db'], 'web-10': ['app'] } })).map(([name]) => name)).toEqual([
    'db',
    'app',
    'web-10',
    'web-2',
  ]);
  expect(names(waveOrder(estimated, { groups: [{ name: 'First', members: ['db'] }] }))[0]).toEqual(['db', 0]);
  expect(waveOrder(estimated, { after: { app: ['db'], db: ['app'] } }).circular.toSorted()).toEqual(['app', 'db']);
});
