import { expect, test } from 'vitest';
import type { Replica } from '../../../shared/model/replica.ts';
import { alike, changesOf } from './apply-settings.ts';

const replica = (
  id: string,
  destinationEnvironment: Replica['destinationEnvironment'],
  more: Partial<Replica> = {},
): Replica => ({
  id,
  name: id,
  sourceEndpointId: 's',
  destinationEndpointId: 'd',
  vmId: id,
  vmName: id,
  sourceEnvironment: { path: 'x' },
  destinationEnvironment,
  createdAt: '',
  disks: [],
  ...more,
});
const setting = (key: string, value: never | string | undefined) =>
  ({ side: 'destination', key, label: key, value, shown: value }) as const;

test('applying replaces chosen settings, keeps the others, and leaves alone who has them already', () => {
  const one = replica('one', { disk_bus: 'scsi', machine_type: 'g1.1' });
  const two = replica('two', { disk_bus: 'virtio' });
  const changes = changesOf([setting('disk_bus', 'virtio')], [one, two]);
  expect(changes.map((change) => change.replica.id)).toEqual(['one']);
  expect(changes[0]!.changes).toMatchObject([{ key: 'disk_bus', before: 'scsi', value: 'virtio' }]);
  expect(changes[0]!.update).toEqual({
    replica: 'one',
    sourceEnvironment: { path: 'x' },
    destinationEnvironment: { disk_bus: 'virtio', machine_type: 'g1.1' },
    cleared: { source: [], destination: [] },
  });
});

test('clearing is applied too, and setting what was cleared', () => {
  const one = replica('one', { disk_bus: 'scsi' }, { cleared: { source: [], destination: ['machine_type'] } });
  const [change] = changesOf([setting('disk_bus', undefined), setting('machine_type', 'g1.2')], [one]);
  expect(change!.update).toMatchObject({
    destinationEnvironment: { machine_type: 'g1.2' },
    cleared: { source: [], destination: ['disk_bus'] },
  });
  expect(changesOf([setting('machine_type', undefined)], [one])).toEqual([]);
});

test('a wave is applied to those that are in another one', () => {
  const all = [
    replica('one', {}, { wave: 'Night 1' }),
    replica('two', {}, { wave: 'Night 2' }),
    replica('three', { disk_bus: 'virtio' }),
  ];
  const changes = changesOf([], all, 'Night 1');
  expect(changes.map(({ update, wave }) => ({ update, wave }))).toEqual([
    { update: { replica: 'two', wave: 'Night 1' }, wave: { before: 'Night 2', after: 'Night 1' } },
    { update: { replica: 'three', wave: 'Night 1' }, wave: { before: undefined, after: 'Night 1' } },
  ]);
  expect(changesOf([setting('disk_bus', 'scsi')], [all[2]!], null)).toMatchObject([
    { update: { destinationEnvironment: { disk_bus: 'scsi' } }, changes: [{ key: 'disk_bus' }] },
  ]);
  expect(changesOf([], all, null).map(({ update }) => update)).toEqual([
    { replica: 'one', wave: null },
    { replica: 'two', wave: null },
  ]);
});

test('only replicas between the same kinds of platforms are alike', () => {
  const endpoint = (id: string, plugin: 'disk-images' | 'european-cloud' | 'qemu-hypervisor') => ({
    id,
    name: id,
    plugin,
    connection: {},
    createdAt: '',
    updatedAt: '',
  });
  const endpoints = [
    endpoint('s', 'disk-images'),
    endpoint('s2', 'disk-images'),
    endpoint('q', 'qemu-hypervisor'),
    endpoint('d', 'european-cloud'),
  ];
  const all = [
    replica('a', {}),
    replica('b', {}, { sourceEndpointId: 's2' }),
    replica('c', {}, { sourceEndpointId: 'q' }),
    replica('e', {}, { sourceEndpointId: 'gone' }),
  ];
  expect(alike(all[0]!, all, endpoints).map(({ id }) => id)).toEqual(['b']);
});
