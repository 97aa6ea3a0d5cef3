import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../../../shared/model/json.ts';
import { createCore, type Core } from './core.ts';
import { MemoryLab } from './testing/memory-lab.ts';

let root: string;
let core: Core;
const layer = 'european-cloud/destination';
const common = {
  network_map: { default: 'net' },
  availability_zone: 'eu01-1',
  machine_type: 'g1.1',
  migr_network: 'net',
  migr_machine_type: 'g1.1',
  migr_image_map: { linux: 'debian' },
};

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'causeway-settings-'));
  mkdirSync(join(root, 'project'));
  const lab = new MemoryLab();
  lab.disks.set('disk-0', Buffer.alloc(1024 * 1024, 1));
  core = createCore({
    projectFolder: join(root, 'project'),
    vault: lab.vault({ key: '{}' }),
    platforms: lab.platforms,
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
  mkdirSync(file('waves'), { recursive: true });
  write(file('waves', 'first.json'), { name: 'first', environments: {} });
  for (const name of ['one', 'two'])
    await core.call('replica.create', {
      name,
      source: 'from',
      destination: 'to',
      vm: 'web',
      wave: 'first',
      destinationEnvironment: common,
    });
});
afterEach(async () => {
  await core.close();
  rmSync(root, { recursive: true, force: true });
});

const file = (...path: string[]): string => join(root, 'project', ...path);
const read = (path: string): JsonObject => JSON.parse(readFileSync(path, 'utf8')) as JsonObject;
/** As somebody else does who shares the files. */
const write = (path: string, content: object): void => writeFileSync(path, JSON.stringify(content));
const uses = async () =>
  (await core.call('trust.show', {})).environments.map(({ value, replicas, isAccepted }) => [
    value,
    replicas.toSorted(),
    isAccepted,
  ]);
const errors = async () => (await core.call('replica.readiness', {})).filter((one) => one.errors > 0).length;
const lives = async () =>
  (await core.call('replica.life', {})).map(({ replicaName, state }) => [replicaName, state === 'not-ready']);

test('what comes with a file of a replica, of its wave or of the defaults is shown the next time, for those that it concerns', async () => {
  expect(await uses()).toEqual([]);
  const replica = file('replicas', 'one.json');
  write(replica, { ...read(replica), destinationEnvironment: { ...common, machine_type: 'https://one.example' } });
  expect(await uses()).toEqual([['https://one.example', ['one'], false]]);
  write(file('waves', 'first.json'), {
    name: 'first',
    environments: { [layer]: { environment: { security_groups: ['https://wave.example'] } } },
  });
  expect(await uses()).toContainEqual(['https://wave.example', ['one', 'two'], false]);
  write(file('defaults.json'), { [layer]: { environment: { keypair_name: 'https://defaults.example' } } });
  expect(await uses()).toContainEqual(['https://defaults.example', ['one', 'two'], false]);
  await core.call('trust.accept', { token: (await core.call('trust.show', {})).token });
  expect((await uses()).every(([, , isAccepted]) => isAccepted)).toBe(true);
  write(replica, { ...read(replica), destinationEnvironment: { ...common, machine_type: 'https://other.example' } });
  expect(await uses()).toContainEqual(['https://other.example', ['one'], false]);
});

test('replicas that say the same are judged the same, and each anew when what it says changes', async () => {
  expect([await errors(), await lives()]).toEqual([
    0,
    [
      ['one', false],
      ['two', false],
    ],
  ]);
  const replica = file('replicas', 'two.json');
  write(replica, { ...read(replica), destinationEnvironment: { ...common, machine_type: 7 } });
  await core.call('project.sync', {});
  expect([await errors(), await lives()]).toEqual([
    1,
    [
      ['one', false],
      ['two', true],
    ],
  ]);
  write(file('waves', 'first.json'), { name: 'first', environments: { [layer]: { environment: { no_such_key: 1 } } } });
  expect([await errors(), await lives()]).toEqual([
    2,
    [
      ['one', true],
      ['two', true],
    ],
  ]);
  write(file('waves', 'first.json'), { name: 'first', environments: {} });
  write(replica, { ...read(replica), destinationEnvironment: common });
  await core.call('project.sync', {});
  expect([await errors(), await lives()]).toEqual([
    0,
    [
      ['one', false],
      ['two', false],
    ],
  ]);
});
