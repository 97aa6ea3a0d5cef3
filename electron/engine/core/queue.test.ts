import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCore, type Core } from './core.ts';
import { MemoryLab } from './testing/memory-lab.ts';

const names = ['one', 'two', 'three'] as const;
let folder: string;
let lab: MemoryLab;
let core: Core;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-queue-'));
  lab = new MemoryLab();
  lab.disks.set('disk-0', randomBytes(1024 * 1024));
  core = open();
  await core.call('endpoint.add', { name: 'from', plugin: 'disk-images', connection: { path: '/images' } });
  await core.call('endpoint.add', {
    name: 'to',
    plugin: 'european-cloud',
    connection: {
      project_id: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11',
      region_name: 'eu01',
      service_account_key: { $secret: 'key' },
    },
  });
  for (const name of names) {
    await core.call('replica.create', {
      name,
      source: 'from',
      destination: 'to',
      vm: 'web',
      destinationEnvironment: {
        network_map: { default: 'net' },
        availability_zone: 'eu01-1',
        migr_network: 'net',
        migr_machine_type: 'g1.1',
        machine_type: 'g1.1',
        migr_image_map: { linux: 'debian' },
      },
    });
  }
});
afterEach(async () => {
  await core.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(): Core {
  return createCore({
    projectFolder: folder,
    vault: lab.vault(),
    platforms: lab.platforms,
    connectWorker: lab.connectWorker,
  });
}

/** Resolves when a run writes; it goes on when the returned function is called. */
async function held(): Promise<() => void> {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  lab.beforeWrite = async () => {
    reached.resolve();
    await released.promise;
  };
  await reached.promise;
  return () => {
    lab.beforeWrite = async () => undefined;
    released.resolve();
  };
}

async function positions(on: Core = core): Promise<(number | undefined)[]> {
  const all = await on.call('execution.list', {});
  return ids.map((wanted) => all.find(({ id }) => id === wanted)?.queuePosition);
}
let ids: string[] = [];
async function executeAll(): Promise<void> {
  ids = [];
  for (const name of names) ids.push((await core.call('replica.execute', { replica: name })).id);
}

test('with one place, runs wait for their turn and say so; with more, they start at once', async () => {
  expect(await core.call('queue.show', {})).toMatchObject({ atOnce: 4 });
  await core.call('queue.setLimit', { atOnce: 1 });
  const writing = held();
  await executeAll();
  const release = await writing;
  expect(await positions()).toEqual([undefined, 1, 2]);
  expect(await core.call('queue.show', {})).toEqual({
    atOnce: 1,
    executions: { running: 1, waiting: 2 },
    deployments: { running: 0, waiting: 0 },
  });
  expect((await core.call('execution.show', { execution: 'two' })).state).toBe('pending');
  const events = await core.call('execution.events', { execution: 'two' });
  expect(events.map(({ message }) => message)).toContain('the execution is queued');
  await core.call('queue.setLimit', { atOnce: 3 });
  expect(await positions()).toEqual([undefined, undefined, undefined]);
  release();
  await core.drain();
  expect((await core.call('execution.list', {})).map(({ state }) => state)).toEqual([
    'completed',
    'completed',
    'completed',
  ]);
});

test('all executions together keep a limit of bandwidth, which takes effect immediately and outlives the engine', async () => {
  expect(await core.call('queue.setBandwidth', { bandwidthLimit: 0 })).toMatchObject({ bandwidthLimit: 0 });
  await core.close();
  core = open();
  expect(await core.call('queue.show', {})).toMatchObject({ bandwidthLimit: 0 });
  let writes = 0;
  lab.beforeWrite = async () => void (writes += 1);
  await executeAll();
  await expect
    .poll(async () =>
      Promise.all(
        ids.map(
          async (execution) =>
            (await core.call('execution.show', { execution })).tasks.find(({ id }) => id === 'replicate-disks')?.state,
        ),
      ),
    )
    .toEqual(['running', 'running', 'running']);
  await setTimeout(100);
  expect(writes).toBe(0);
  const unlimited = await core.call('queue.setBandwidth', {});
  expect(unlimited.bandwidthLimit).toBeUndefined();
  await core.drain();
  expect(writes).toBeGreaterThan(0);
  expect((await core.call('execution.list', {})).map(({ state }) => state)).toEqual([
    'completed',
    'completed',
    'completed',
  ]);
});

test('one that waits can be cancelled without having started anything', async () => {
  await core.call('queue.setLimit', { atOnce: 1 });
  const writing = held();
  await executeAll();
  const release = await writing;
  await core.call('execution.cancel', { execution: 'two' });
  release();
  await core.drain();
  const two = await core.call('execution.show', { execution: 'two' });
  expect(two).toMatchObject({ state: 'cancelled', leftBehind: 0 });
  expect(two.tasks.every(({ attempts }) => attempts === 0)).toBe(true);
});

test('the limit and the order are those of the project: they outlive the engine', async () => {
  await core.call('queue.setLimit', { atOnce: 1 });
  const writing = held();
  await executeAll();
  await writing;
  // From here on nothing that the first engine does has an effect, as if it was killed.
  lab.generation += 1;
  lab.beforeWrite = async () => undefined;
  const again = open();
  expect((await again.call('execution.list', {})).map(({ state }) => state)).toEqual([
    'interrupted',
    'interrupted',
    'interrupted',
  ]);
  const second = held();
  await again.call('execution.resume', {});
  const release = await second;
  expect(await again.call('queue.show', {})).toMatchObject({ atOnce: 1, executions: { running: 1, waiting: 2 } });
  expect(await positions(again)).toEqual([undefined, 1, 2]);
  release();
  await again.drain();
  expect((await again.call('execution.list', {})).map(({ state }) => state)).toEqual([
    'completed',
    'completed',
    'completed',
  ]);
  core = again;
});

test('the newest run of each replica is listed, however many runs there are', async () => {
  for (const name of ['one', 'one', 'two'] as const) {
    await core.call('replica.execute', { replica: name });
    await core.drain();
  }
  const replicas = new Map((await core.call('replica.list', {})).map(({ id, name }) => [id, name]));
  const latest = await core.call('execution.list', { latest: true, limit: 1 });
  expect(latest.map(({ replicaId, number }) => [replicas.get(replicaId), number]).sort()).toEqual([
    ['one', 2],
    ['two', 1],
  ]);
  expect(await core.call('deployment.list', { latest: true })).toEqual([]);
});

test('a run keeps how fast it was, and tells what each task comes after', async () => {
  const { id } = await core.call('replica.execute', { replica: 'one' });
  await core.drain();
  const rates = await core.call('execution.rates', { execution: id });
  expect(rates.length).toBeGreaterThan(0);
  const { tasks } = await core.call('execution.show', { execution: id });
  expect(tasks.find((task) => task.id === 'replicate-disks')?.after).toEqual(['take-snapshot', 'start-worker']);
});
