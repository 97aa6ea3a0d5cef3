import { expect, test } from 'vitest';
import type { AttachedVolume, DeviceIdentity } from '../../ports/destination-platform.ts';
import { cloudInitNeed, sourceNic, windowsDisksOf } from './prepare.ts';

const attached = (...identities: DeviceIdentity[]): AttachedVolume[] =>
  identities.map(
    (identity, index) => ({ volume: { id: `v${index}`, diskId: 'd', sizeBytes: 1 }, identity }) as AttachedVolume,
  );
const disksOf = (...identities: DeviceIdentity[]) =>
  windowsDisksOf(
    attached(...identities),
    identities.map((_, index) => ({ id: `v${index}` })),
  );

test('a Windows worker knows a disk by its serial, or by its LUN and its size', () => {
  expect(disksOf({ kind: 'serial', serial: 'abc', sizeBytes: 5 }, { kind: 'lun', lun: 2, sizeBytes: 5 })).toEqual([
    { serial: 'abc' },
    { lun: 2, sizeBytes: 5 },
  ]);
});

test('where disks have neither, it takes those that are not its own: one after the other of each size', () => {
  const by = (sizeBytes: number): DeviceIdentity => ({ kind: 'order', order: 1, sizeBytes });
  expect(disksOf(by(5), { kind: 'by-path', path: 'xvdc', sizeBytes: 7 }, by(5))).toEqual([
    { among: 0, sizeBytes: 5 },
    { among: 0, sizeBytes: 7 },
    { among: 1, sizeBytes: 5 },
  ]);
});

test('a volume that is not attached is a mistake of the engine', () => {
  expect(() => windowsDisksOf([], [{ id: 'v' }])).toThrow(expect.objectContaining({ code: 'general.bug' }) as Error);
});

test('a guest can do without cloud-init where it retains its credentials, unless the deployment says otherwise', () => {
  expect([
    cloudInitNeed(undefined, true, 'linux'),
    cloudInitNeed(undefined, false, 'linux'),
    cloudInitNeed(undefined, true, 'windows'),
  ]).toEqual(['if-possible', 'required', 'required']);
  expect([
    cloudInitNeed('required', true, 'linux'),
    cloudInitNeed('if-possible', false, 'linux'),
    cloudInitNeed('if-possible', true, 'windows'),
  ]).toEqual(['required', 'if-possible', 'if-possible']);
});

test('an interface is known by the MAC address and the IPv4 addresses of the source', () => {
  expect(
    sourceNic({ id: 'n', network: 'x', mac_address: '00:50:56:00:00:01', ip_addresses: ['10.0.0.5', 'fe80::1'] }),
  ).toEqual({ sourceMacAddress: '00:50:56:00:00:01', addresses: ['10.0.0.5'] });
  expect(sourceNic(undefined)).toEqual({ sourceMacAddress: undefined, addresses: [] });
});
