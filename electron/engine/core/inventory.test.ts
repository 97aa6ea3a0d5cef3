import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { InventoryMachine } from '../../../shared/inventory/inventory.ts';
import { createCore, type Core } from './core.ts';
import { memoryVault, MemoryLab } from './testing/memory-lab.ts';

let folder: string;
let core: Core;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-inventory-'));
  const lab = new MemoryLab();
  lab.disks.set('disk-0', Buffer.alloc(1024));
  core = createCore({ projectFolder: folder, vault: memoryVault({}), platforms: lab.platforms });
});
afterEach(async () => {
  await core.close();
  rmSync(folder, { recursive: true, force: true });
});

const machine = (id: string, vcpus = 1): InventoryMachine => ({
  power: 'unknown',
  vm: { id, name: id, os_type: 'linux', vcpus, disks: [], nics: [] },
});
const origin = { kind: 'file', name: 'RVTools.xlsx' } as const;

test('a list is kept as a plain file, and a later import says what changed', async () => {
  await core.call('inventory.save', { name: 'Data/centre: "1"', origin, machines: [machine('a'), machine('b')] });
  const again = await core.call('inventory.save', {
    name: 'Data/centre: "1"',
    origin,
    machines: [machine('a', 2), machine('c')],
  });
  expect(again.machines.map(({ vm, state }) => [vm.id, state])).toEqual([
    ['a', 'changed'],
    ['c', 'new'],
    ['b', 'gone'],
  ]);
  expect(readdirSync(join(folder, 'inventory'))).toHaveLength(1);
  const [kept] = await core.call('inventory.list', {});
  expect(kept).toEqual({ ...again, machines: [...again.machines].sort((a, b) => a.vm.id.localeCompare(b.vm.id)) });
});

test('lists whose names differ in case or odd characters do not overwrite each other', async () => {
  const long = '网络'.repeat(49);
  const names = [
    'prod',
    'Prod',
    'PROD',
    'Production A',
    'Production a',
    'prod.',
    'a*b',
    'aux',
    'ü',
    '../prod',
    `${long}1`,
    `${long}2`,
  ];
  for (const name of names) await core.call('inventory.save', { name, origin, machines: [machine(name)] });
  const kept = await core.call('inventory.list', {});
  expect(kept.map(({ name, machines }) => [name, machines[0]!.vm.id]).sort()).toEqual(
    names.map((name) => [name, name]).sort(),
  );
  expect(new Set(readdirSync(join(folder, 'inventory')).map((file) => file.toLowerCase())).size).toBe(names.length);
  for (const name of names) await core.call('inventory.remove', { name });
  expect(await core.call('inventory.list', {})).toEqual([]);
});

test('a file that somebody damaged is named, and not overwritten', async () => {
  await core.call('inventory.save', { name: 'prod', origin, machines: [machine('a')] });
  const path = join(folder, 'inventory', 'prod.json');
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, 40));
  await expect(core.call('inventory.list', {})).rejects.toMatchObject({ code: 'inventory.file-damaged' });
  await expect(core.call('inventory.save', { name: 'prod', origin, machines: [] })).rejects.toMatchObject({
    code: 'inventory.file-damaged',
  });
  expect(readFileSync(path, 'utf8')).toHaveLength(40);
});

test('machines of an endpoint are described in full', async () => {
  await core.call('endpoint.add', { name: 'from', plugin: 'disk-images', connection: { path: '/images' } });
  const { machines, failed } = await core.call('inventory.read', { endpoint: 'from' });
  expect(failed).toEqual([]);
  expect(machines.map(({ vm }) => vm.disks.map((disk) => disk.id))).toEqual([['disk-0']]);
});
