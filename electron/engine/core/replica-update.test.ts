import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCore, type Core } from './core.ts';
import { MemoryLab } from './testing/memory-lab.ts';

let folder: string;
let lab: MemoryLab;
let core: Core;
const cloud = 'european-cloud/destination';
const common = {
  network_map: { default: 'net' },
  availability_zone: 'eu01-1',
  migr_network: 'net',
  migr_machine_type: 'g1.1',
  migr_image_map: { linux: 'debian' },
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-update-'));
  lab = new MemoryLab();
  lab.disks.set('disk-0', Buffer.alloc(1024 * 1024, 1));
  core = createCore({
    projectFolder: folder,
    vault: lab.vault(),
    platforms: lab.platforms,
    connectWorker: lab.connectWorker,
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
});
afterEach(async () => {
  await core.close();
  rmSync(folder, { recursive: true, force: true });
});

const make = (more: object = {}) =>
  core.call('replica.create', { name: 'web', source: 'from', destination: 'to', vm: 'web', ...more });

test('what the project and a wave say need not be said again, and is what a run uses', async () => {
  await core.call('defaults.save', { environments: { [cloud]: { environment: common } } });
  await core.call('defaults.save', {
    wave: 'first',
    environments: { [cloud]: { environment: { availability_zone: 'eu01-2' } } },
  });
  await make({ wave: 'first', destinationEnvironment: { machine_type: 'g1.2' } });
  const environments: unknown[] = [];
  lab.onRun = (run) => environments.push(run.environment);
  await core.call('replica.execute', { replica: 'web' });
  await core.drain();
  expect(environments[0]).toMatchObject({ availability_zone: 'eu01-2', machine_type: 'g1.2', migr_network: 'net' });
  expect(JSON.parse(readFileSync(join(folder, 'defaults.json'), 'utf8'))).toEqual({ [cloud]: { environment: common } });
});

test('a change is checked with everything that counts, and keeps what it does not name', async () => {
  await core.call('defaults.save', { environments: { [cloud]: { environment: common } } });
  await make({ destinationEnvironment: { machine_type: 'g1.2' } });
  await expect(
    core.call('replica.update', { replica: 'web', cleared: { source: [], destination: ['migr_network'] } }),
  ).rejects.toMatchObject({
    code: 'engine.environment-invalid',
    message: expect.stringContaining('/destination/environment/migr_network') as string,
  });
  const changed = await core.call('replica.update', {
    replica: 'web',
    name: 'web 2',
    destinationEnvironment: { disk_bus: 'scsi' },
    cleared: { source: [], destination: ['machine_type'] },
  });
  expect(changed).toMatchObject({
    name: 'web 2',
    destinationEnvironment: { disk_bus: 'scsi' },
    cleared: { source: [], destination: ['machine_type'] },
  });
  expect(
    await core.call('replica.update', { replica: 'web 2', cleared: { source: [], destination: [] } }),
  ).not.toHaveProperty('cleared');
});

test('keys of any kind survive being saved and loaded', async () => {
  const map = { 'a.b[0].c': 'net', '网络 "1"': 'net', constructor: 'net', '\u{1F680}': 'net', default: 'net' };
  await make({ destinationEnvironment: { ...common, network_map: map } });
  await core.close();
  core = createCore({ projectFolder: folder, vault: lab.vault(), platforms: lab.platforms });
  expect((await core.call('replica.show', { replica: 'web' })).destinationEnvironment['network_map']).toEqual(map);
});

test('nothing is changed while it runs', async () => {
  await make({ destinationEnvironment: common });
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  lab.beforeWrite = async () => {
    reached.resolve();
    await released.promise;
  };
  await core.call('replica.execute', { replica: 'web' });
  await reached.promise;
  await expect(core.call('replica.update', { replica: 'web', name: 'other' })).rejects.toMatchObject({
    code: 'engine.execution-active',
  });
  released.resolve();
  await core.drain();
  expect((await core.call('replica.update', { replica: 'web', name: 'other' })).name).toBe('other');
});

test('a wave with members is not removed, an unknown one not joined', async () => {
  await expect(make({ destinationEnvironment: common, wave: 'none' })).rejects.toMatchObject({
    code: 'engine.not-found',
  });
  await core.call('defaults.save', { wave: 'first', environments: {} });
  await make({ destinationEnvironment: common, wave: 'first' });
  await expect(core.call('defaults.removeWave', { wave: 'first' })).rejects.toMatchObject({
    code: 'engine.wave-in-use',
    message: 'first: web',
  });
  await core.call('replica.update', { replica: 'web', wave: null });
  expect((await core.call('defaults.removeWave', { wave: 'first' })).waves).toEqual([]);
});

test('common values of a wrong form, and damaged files, are told with their place', async () => {
  await expect(
    core.call('defaults.save', { environments: { [cloud]: { environment: { set_dhcp: 'maybe' } } } }),
  ).rejects.toMatchObject({ code: 'engine.environment-invalid' });
  writeFileSync(join(folder, 'defaults.json'), '{');
  await expect(core.call('defaults.show', {})).rejects.toMatchObject({
    code: 'engine.defaults-damaged',
    message: expect.stringContaining('defaults.json') as string,
  });
});

test('the last catalog is there without a network', async () => {
  expect(await core.call('catalog.last', { endpoint: 'to' })).toEqual({});
  const captured = await core.call('catalog.capture', { endpoint: 'to' });
  expect(await core.call('catalog.last', { endpoint: 'to' })).toEqual({ catalog: captured });
});
