import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { isTerminalExecution, type Execution } from '../../../shared/model/execution.ts';
import { createCore, type Core } from './core.ts';
import { MemoryLab } from './testing/memory-lab.ts';

const MiB = 1024 * 1024;
const destinationEnvironment = {
  network_map: { default: 'net' },
  availability_zone: 'eu01-1',
  migr_network: 'net',
  migr_machine_type: 'g1.1',
  machine_type: 'g1.1',
  migr_image_map: { linux: 'debian' },
};
const patience = { timeout: 20_000, interval: 10 };
let folder: string;
let lab: MemoryLab;
let core: Core;

const open = (): Core =>
  createCore({
    projectFolder: folder,
    vault: lab.vault(),
    platforms: lab.platforms,
    connectWorker: lab.connectWorker,
    slowWorkerMs: 20,
  });
const count = (step: string): number => lab.log.filter((line) => line === step).length;
const temporary = async () =>
  (await core.call('ledger.list', {})).filter(({ lifetime, kind }) => lifetime === 'temporary' && kind === 'server');

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-pool-'));
  lab = new MemoryLab();
  lab.disks.set('disk-0', Buffer.concat([randomBytes(MiB), Buffer.alloc(MiB)]));
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
  for (const name of ['web', 'app'])
    await core.call('replica.create', { name, source: 'from', destination: 'to', vm: 'web', destinationEnvironment });
});
afterEach(async () => {
  await core.close();
  rmSync(folder, { recursive: true, force: true });
});

async function ended(id: string): Promise<Execution> {
  await vi.waitFor(
    async () => expect(isTerminalExecution((await core.call('execution.show', { execution: id })).state)).toBe(true),
    patience,
  );
  await core.drain();
  return core.call('execution.show', { execution: id });
}
const execute = async (replica: string): Promise<Execution> =>
  ended((await core.call('replica.execute', { replica })).id);

test('executions use one worker in turn, which is recorded until the pool is drained', async () => {
  expect(await core.call('workers.setPool', { keep: 1, minutes: 30 })).toEqual({ keep: 1, minutes: 30, workers: [] });
  for (const name of ['web', 'app', 'web'])
    expect(await execute(name)).toMatchObject({ state: 'completed', leftBehind: 0 });
  const {
    workers: [worker],
  } = await core.call('workers.pool', {});
  expect(worker).toMatchObject({ uses: 3, idleSince: expect.any(String) as string });
  expect(await temporary()).toMatchObject([{ kind: 'server', executionId: worker!.id }]);
  expect(await core.call('ledger.list', { orphansOnly: true })).toEqual([]);
  expect([lab.detached.size, count('stop worker') > 3]).toEqual([2, false]);
  expect((await core.call('workers.drain', {})).workers).toEqual([]);
  expect(await temporary()).toEqual([]);
});

test('at the same time each has a worker of its own, and as many as wanted are kept', async () => {
  await core.call('workers.setPool', { keep: 1 });
  const gate = Promise.withResolvers<void>();
  lab.beforeWrite = () => gate.promise;
  const ids = await Promise.all(
    ['web', 'app'].map(async (replica) => (await core.call('replica.execute', { replica })).id),
  );
  await vi.waitFor(async () => expect((await temporary()).length).toBe(2), patience);
  const [{ id } = { id: '' }] = (await core.call('workers.pool', {})).workers;
  expect((await temporary()).map(({ executionId }) => executionId).filter((owner) => owner === id)).toHaveLength(1);
  gate.resolve();
  for (const execution of ids) expect(await ended(execution)).toMatchObject({ state: 'completed' });
  expect(await temporary()).toMatchObject([{ executionId: id }]);
  expect((await core.call('workers.setPool', { keep: 0 })).keep).toBe(0);
  await vi.waitFor(async () => expect(await temporary()).toEqual([]), patience);
});

test('another environment gets another worker, in the place of one that nobody uses', async () => {
  await core.call('workers.setPool', { keep: 1 });
  await execute('web');
  const [former] = (await core.call('workers.pool', {})).workers;
  await core.call('replica.update', {
    replica: 'app',
    destinationEnvironment: { ...destinationEnvironment, availability_zone: 'eu01-2' },
  });
  await execute('app');
  const { workers } = await core.call('workers.pool', {});
  expect(workers).toMatchObject([{ uses: 1 }]);
  expect(workers[0]!.id).not.toBe(former!.id);
  await vi.waitFor(async () => expect(await temporary()).toHaveLength(1), patience);
});

test('a worker that cannot be freed is deleted, and one whose execution failed is kept', async () => {
  await core.call('workers.setPool', { keep: 1 });
  lab.fail('flush', new CausewayError('general.bug', 'storage broke'));
  expect(await execute('web')).toMatchObject({ state: 'failed', leftBehind: 0 });
  expect((await core.call('workers.pool', {})).workers).toHaveLength(1);
  lab.fail('detach volume', new CausewayError('cloud.operation-failed', 'it stays'));
  expect(await execute('web')).toMatchObject({ state: 'completed', leftBehind: 0 });
  expect((await core.call('workers.pool', {})).workers).toEqual([]);
  await vi.waitFor(async () => expect(await temporary()).toEqual([]), patience);
});

test('what an engine left that was killed is deleted before the next worker is used', async () => {
  await core.call('workers.setPool', { keep: 1 });
  await execute('web');
  const {
    workers: [former],
  } = await core.call('workers.pool', {});
  // The project is opened by a next engine; what the former one still does has no part in it.
  const killed = core;
  core = open();
  expect(await core.call('ledger.list', { orphansOnly: true })).toMatchObject([
    { executionId: former!.id, orphan: 'execution-over' },
  ]);
  expect(await execute('app')).toMatchObject({ state: 'completed' });
  expect((await temporary()).map(({ executionId }) => executionId)).toEqual(
    (await core.call('workers.pool', {})).workers.map(({ id }) => id),
  );
  await core.close();
  core = killed;
  expect(await temporary()).toEqual([]);
});

test('closing the engine deletes them', async () => {
  await core.call('workers.setPool', { keep: 2 });
  await execute('web');
  await core.close();
  expect([...lab.things.values()].filter(({ bytes }) => bytes === undefined)).toEqual([]);
  core = open();
  expect(await temporary()).toEqual([]);
  expect(await core.call('workers.pool', {})).toMatchObject({ keep: 2, workers: [] });
});
