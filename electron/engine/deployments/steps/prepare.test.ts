import { expect, test } from 'vitest';
import type { AttachedVolume, DeviceIdentity } from '../../ports/destination-platform.ts';
import { windowsDiskOf } from './prepare.ts';

const attached = (identity: DeviceIdentity): AttachedVolume[] => [{ volume: { id: 'v', diskId: 'd', sizeBytes: 1 }, identity } as AttachedVolume];

test('a Windows worker knows a disk by its serial, or by its LUN and its size', () => {
  expect(windowsDiskOf(attached({ kind: 'serial', serial: 'abc', sizeBytes: 5 }), { id: 'v' })).toEqual({ serial: 'abc' });
  expect(windowsDiskOf(attached({ kind: 'lun', lun: 2, sizeBytes: 5 }), { id: 'v' })).toEqual({ lun: 2, sizeBytes: 5 });
  expect(() => windowsDiskOf(attached({ kind: 'order', order: 1, sizeBytes: 5 }), { id: 'v' })).toThrow(expect.objectContaining({ code: 'osmorphing.not-supported' }) as Error);
  expect(() => windowsDiskOf([], { id: 'v' })).toThrow(expect.objectContaining({ code: 'osmorphing.not-supported' }) as Error);
});
