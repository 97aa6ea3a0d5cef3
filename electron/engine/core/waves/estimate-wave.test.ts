import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CatalogQuota } from '../../../../shared/model/catalog.ts';
import type { WaveEstimate } from '../../../../shared/model/wave-estimate.ts';
import { usualBootPatience } from '../../deployments/boot-verdict.ts';
import { createCore, type Core } from '../core.ts';
import { keepCatalog } from '../last-catalogs.ts';
import { destinationEnvironment } from '../testing/deployment-project.ts';
import { MemoryLab } from '../testing/memory-lab.ts';
import { recordingMorph } from '../testing/recording-morph.ts';

const MiB = 1024 ** 2;
let folder: string;
let lab: MemoryLab;
let core: Core;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-estimate-'));
  lab = new MemoryLab();
  lab.disks.set('disk-0', Buffer.concat([randomBytes(6 * MiB), Buffer.alloc(2 * MiB, 'a')]));
  core = createCore({
    projectFolder: folder,
    vault: lab.vault(),
    platforms: lab.platforms,
    connectWorker: lab.connectWorker,
    guests: recordingMorph(
      () => undefined,
      () => ({}),
    ).guests,
    bootPatience: { ...usualBootPatience, stopSeconds: 0, loginSeconds: 0, firstPauseMs: 1 },
    bootProbe: async () => undefined,
  });
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
  await core.call('wave.create', { wave: 'first', replicas: ['web', 'app'], plan: { after: { web: ['app'] } } });
});
afterEach(async () => {
  await core.close();
  rmSync(folder, { recursive: true, force: true });
});

const estimate = (more: object = {}): Promise<WaveEstimate> => core.call('wave.estimate', { wave: 'first', ...more });
const of = (found: WaveEstimate, name: string) => found.memberList.find((member) => member.name === name)!;

async function run(name: string): Promise<void> {
  await core.call('replica.execute', { replica: name, options: {} });
  await core.drain();
}

test('an estimate says that nothing is known, then takes what others were measured at, then what the VM itself was', async () => {
  const unknown = await estimate({ action: 'synchronise' });
  expect([unknown.seconds, unknown.memberList.map(({ basis }) => basis)]).toEqual([undefined, ['unknown', 'unknown']]);
  await run('app');
  const some = await estimate({ action: 'synchronise' });
  // Nothing is compressed on the way to a worker in memory.
  expect(of(some, 'app')).toMatchObject({ basis: 'measured', executions: 1, sentShare: 1 });
  expect(of(some, 'web').basis).toBe('unknown');
  await run('web');
  lab.disks.get('disk-0')!.fill('b', 7 * MiB, 7 * MiB + 256 * 1024);
  await run('web');
  const all = await estimate({ action: 'synchronise' });
  expect(of(all, 'web')).toMatchObject({ basis: 'measured', executions: 2 });
  expect(of(all, 'web').changeBytesPerSecond).toBeGreaterThan(0);
  // Suggestions of waves take the same: only the second execution tells what changes.
  expect(await core.call('wave.measuredChanges', { source: 'from' })).toEqual([
    { vm: expect.any(String) as string, name: 'web', bytesPerSecond: of(all, 'web').changeBytesPerSecond },
  ]);
  expect(all.seconds).toBeGreaterThan(0);
  expect(of(all, 'web').startSeconds).toBe(of(all, 'app').endSeconds);
  // Without a deployment nobody knows how long one takes.
  expect((await estimate({ action: 'cut-over' })).seconds).toBeUndefined();
});

test('sizes of VMs that were never copied come from an imported list, by ID or by a name that only one has', async () => {
  const machine = (id: string) => ({
    vm: {
      id,
      name: 'web',
      os_type: 'linux' as const,
      vcpus: 1,
      memory_mb: 1024,
      disks: [{ id: 'disk-0', size_bytes: 8 * MiB, storage_backend: 'ssd' }],
      nics: [],
    },
    power: 'running' as const,
  });
  const origin = { kind: 'file', name: 'all.csv' } as const;
  const known = async () => of(await estimate({ action: 'synchronise' }), 'web');
  await run('app');
  expect(await known()).toMatchObject({ basis: 'unknown' });
  await core.call('inventory.save', { name: 'all', origin, machines: [machine('vm-42')] });
  expect(await known()).toMatchObject({ basis: 'others', passBytes: 8 * MiB });
  await core.call('inventory.save', { name: 'all', origin, machines: [machine('vm-42'), machine('vm-43')] });
  expect(await known()).toMatchObject({ basis: 'unknown' });
});

test('the downtime of a cut-over is its last pass and its deployment, and the window is held against the time of the wave', async () => {
  for (const name of ['app', 'web']) {
    await run(name);
    await core.call('deployment.create', { replica: name, options: {} });
    await core.drain();
  }
  await core.call('wave.plan', {
    wave: 'first',
    plan: { window: { date: '2199-01-01', time: '22:00', zone: 'UTC', hours: 4 } },
  });
  const found = await estimate();
  expect(found).toMatchObject({
    action: 'cut-over',
    startsAt: '2199-01-01T22:00:00.000Z',
    windowSeconds: 14_400,
    fits: true,
  });
  expect(found.downtimeSeconds).toBeGreaterThan(0);
  expect(found.downtimeSeconds).toBeLessThanOrEqual(found.seconds!);
  await core.call('wave.plan', {
    wave: 'first',
    plan: { window: { date: '2020-01-01', time: '22:00', zone: 'UTC', hours: 4 } },
  });
  const late = await estimate();
  expect([late.windowEndedAt, late.windowSeconds, late.fits, late.seconds]).toEqual([
    '2020-01-02T02:00:00.000Z',
    undefined,
    undefined,
    expect.any(Number),
  ]);
  const throttled = await estimate({ bytesPerSecond: 1024 });
  expect(throttled.seconds).toBeGreaterThan(found.seconds!);
});

test('what a wave needs is held against quotas and ranges of the last catalog', async () => {
  await run('app');
  await run('web');
  const { id } = await core.call('endpoint.get', { endpoint: 'to' });
  const stateFolder = join(folder, '.causeway');
  keepCatalog({ stateFolder }, id, {
    quotas: [
      { kind: 'volumes', limit: 10, usage: 9 },
      { kind: 'vcpus', limit: -1, usage: 3 },
    ],
    networks: [{ id: 'n1', name: Object.values(destinationEnvironment.network_map)[0]!, cidrs: ['10.9.0.0/29'] }],
  });
  const { needs, quotas, networks } = await estimate();
  expect(needs).toMatchObject({ servers: 2, volumes: 2, volumeBytes: 16 * MiB, unknownVms: 0 });
  expect(quotas).toEqual([{ endpoint: 'to', quota: 'volumes', needed: 2, free: 1, limit: 10 }]);
  // Readiness says the same: the second of two is held back.
  const shown = await core.call('wave.show', { wave: 'first' });
  const web = shown.memberList.find(({ name }) => name === 'web')!.replicaId;
  expect(shown.causes).toContainEqual({
    kind: 'quota',
    severity: 'error',
    code: 'volumes',
    message: 'Quota volumes of to too small: the wave needs 2, and 1 were free in its last catalog.',
    quota: { endpoint: 'to', quota: 'volumes', needed: 2, free: 1 },
    replicas: [web],
  });
  expect(shown.quotaCatalogs).toEqual([{ endpoint: id, name: 'to' }]);
  const readyWith = async (quotas: CatalogQuota[], at?: Date): Promise<number> => {
    keepCatalog({ stateFolder }, id, { quotas, ...(at === undefined ? {} : { captured_at: at.toISOString() }) });
    return (await core.call('wave.show', { wave: 'first' })).ready;
  };
  expect((await readyWith([{ kind: 'volumes', limit: 10, usage: 0 }])) - shown.ready).toBe(1);
  // Volumes that were there when the catalog was captured are used already, and are not needed again.
  expect(
    (await readyWith([{ kind: 'volumes', limit: 10, usage: 10 }], new Date(Date.now() + 60_000))) - shown.ready,
  ).toBe(1);
  expect((await estimate()).quotas).toMatchObject([{ quota: 'volumes', needed: 0, free: 0 }]);
  expect(networks).toMatchObject([{ nics: needs.nics, addresses: 5, outside: [] }]);
  // A range of IPv6 has room for all, and one that nobody can read says nothing.
  keepCatalog({ stateFolder }, id, {
    networks: [
      { id: 'n1', name: Object.values(destinationEnvironment.network_map)[0]!, cidrs: ['2001:db8::/64', 'any'] },
    ],
  });
  expect((await estimate()).networks).toEqual([
    { network: expect.any(String) as string, nics: needs.nics, outside: [] },
  ]);
});

test('the dashboard counts VMs that were copied and moved by day, and not those that were rolled back', async () => {
  for (const name of ['app', 'web']) await run(name);
  const sums = async () =>
    (await core.call('dashboard.show', {})).days.reduce(
      (sum, { copied, moved, bytes }) => ({
        copied: sum.copied + copied,
        moved: sum.moved + moved,
        bytes: sum.bytes + bytes,
      }),
      { copied: 0, moved: 0, bytes: 0 },
    );
  expect(await sums()).toMatchObject({ copied: 2, moved: 0 });
  expect((await sums()).bytes).toBeGreaterThan(12 * MiB);
  expect((await core.call('dashboard.show', {})).lags).toEqual([{ within: 'hour', count: 2 }]);
  await core.call('deployment.create', {
    replica: 'web',
    options: { purpose: 'cut-over', execute: { lastPass: true } },
  });
  await core.drain();
  expect(await sums()).toMatchObject({ copied: 2, moved: 1 });
  await core.call('replica.rollBack', { replica: 'web' });
  expect(await sums()).toMatchObject({ copied: 2, moved: 0 });
});
