import { expect, test } from 'vitest';
import type { AttachedVolume, DeviceIdentity } from '../../ports/destination-platform.ts';
import { windowsDisksOf } from './prepare.ts';

const attached = (...identities: DeviceIdentity[]): AttachedVolume[] => identities.map((identity, index) => ({ volume: { id: `v${index}`, diskId: 'd', sizeBytes: 1 }, identity }) as AttachedVolume);
const disksOf = (...identities: DeviceIdentity[]) => windowsDisksOf(attached(...identities), identities.map((_, index) => ({ id: `v${index}` })));

test('a Windows worker knows a disk by its serial, or by its LUN and its size', () => {
  expect(disksOf({ kind: 'serial', serial: 'abc', sizeBytes: 5 }, { kind: 'lun', lun: 2, sizeBytes: 5 })).toEqual([{ serial: 'abc' }, { lun: 2, sizeBytes: 5 }]);
});

test('where disks have neither, it takes those that are not its own: one after the other of each size', () => {
  const by = (sizeBytes: number): DeviceIdentity => ({ kind: 'order', order: 1, sizeBytes });
  expect(disksOf(by(5), { kind: 'by-path', path: 'xvdc', sizeBytes: 7 }, by(5))).toEqual([{ among: 0, sizeBytes: 5 }, { among: 0, sizeBytes: 7 }, { among: 1, sizeBytes: 5 }]);
});

test('a volume that is not attached is a mistake of the engine', () => {
  expect(() => windowsDisksOf([], [{ id: 'v' }])).toThrow(expect.objectContaining({ code: 'general.bug' }) as Error);
});
