import { expect, test } from 'vitest';
import { isLeftover, ownCheckpoint, placeOf, checkpointName, checkpointNotes } from './checkpoint-state.ts';
import { networkOf, osTypeOf } from './vm-facts.ts';

test.each([
  ['D:\\VMs\\web\\disk.vhdx', 'D:\\VMs\\web\\disk.vhdx', true],
  ['D:\\VMs\\web\\disk.vhdx', 'd:\\vms\\WEB\\disk_0F0C1D2E-1111-2222-3333-444455556666.avhdx', true],
  ['D:\\VMs\\web\\disk.vhd', 'D:\\VMs\\web\\disk-AutoRecovery.avhd', true],
  ['D:\\VMs\\web\\disk.vhdx', 'E:\\VMs\\web\\disk.vhdx', false],
  ['D:\\VMs\\web\\disk.vhdx', 'D:\\VMs\\web\\disk-2.vhdx', false],
])('%s and %s are one disk: %s', (one, other, same) => expect(placeOf(one) === placeOf(other)).toBe(same));

test('a checkpoint is known by its name and its notes together', () => {
  const notes = checkpointNotes({ replicaId: 'rep-1', executionId: 'exe-1' }, 'computer.1');
  const own = { id: 'c', name: checkpointName('tag-1'), notes, createdAt: '', disks: [] };
  expect(ownCheckpoint(own)).toEqual({ tag: 'tag-1', replicaId: 'rep-1', executionId: 'exe-1', owner: 'computer.1' });
  expect(ownCheckpoint({ ...own, notes: '' })).toBeUndefined();
  expect(ownCheckpoint({ ...own, name: 'web - Backup' })).toBeUndefined();
  expect([
    isLeftover(own, { replicaId: 'rep-1', executionId: 'exe-2' }),
    isLeftover(own, { replicaId: 'rep-1', executionId: 'exe-1' }),
    isLeftover(own, { replicaId: 'rep-2', executionId: 'exe-2' }),
  ]).toEqual([true, false, false]);
});

test('a VLAN is a network of its own, and an OS is what the guest says', () => {
  const nic = {
    id: 'n',
    name: 'a',
    switch: 'External',
    mac: '',
    isDynamicMac: true,
    isLegacy: false,
    vlanMode: 'access',
    vlan: 7,
    addresses: [],
  };
  expect([
    networkOf(nic),
    networkOf({ ...nic, vlan: 0 }),
    networkOf({ ...nic, vlanMode: 'trunk' }),
    networkOf({ ...nic, switch: '' }),
  ]).toEqual(['External VLAN 7', 'External', 'External', 'not connected']);
  const os = (system: string) => osTypeOf({ system } as Parameters<typeof osTypeOf>[0]);
  expect([os('Windows Server 2019 Datacenter'), os('Ubuntu 22.04'), os(' ')]).toEqual(['windows', 'linux', undefined]);
});
