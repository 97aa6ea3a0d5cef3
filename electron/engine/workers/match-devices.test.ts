import { describe, expect, test } from 'vitest';
import type { AttachedVolume, DeviceIdentity } from '../ports/destination-platform.ts';
import type { WorkerDevice } from '../ports/write-target.ts';
import { loginsOf, matchDevices } from './match-devices.ts';

const GiB = 1024 ** 3;
const serialA = '0c6e1f5e-3f5c-4f8e-9f0a-aaaaaaaaaaaa';
const serialB = '0c6e1f5e-3f5c-4f8e-9f0b-bbbbbbbbbbbb';
type Known = DeviceIdentity extends infer One ? (One extends DeviceIdentity ? Omit<One, 'sizeBytes'> : never) : never;
const attached = (
  id: string,
  identity: Known,
  { sizeBytes = GiB, createdByThisCall = false } = {},
): AttachedVolume => ({
  volume: { id, diskId: id, sizeBytes, createdByThisCall },
  identity: { ...identity, sizeBytes } as DeviceIdentity,
});
const bySerial = (id: string, serial: string) => attached(id, { kind: 'serial', serial });
const inOrder = (id: string, order: number, more = {}) => attached(id, { kind: 'order', order }, more);
const device = (path: string, more: Partial<WorkerDevice> = {}): WorkerDevice => ({
  path,
  serial: '',
  byPath: [],
  sizeBytes: GiB,
  inUse: false,
  ...more,
});
const notMatched = expect.objectContaining({ code: 'engine.volume-not-matched' });
const paths = async (...given: Parameters<typeof matchDevices>): Promise<readonly [string, string][]> =>
  [...(await matchDevices(...given))].map(([id, { path }]) => [id, path]);

describe('matching volumes to devices by serial', () => {
  test('ignores names and order', async () => {
    expect(
      await paths(
        [bySerial('a', serialA), bySerial('b', serialB)],
        [device('/dev/vdb', { serial: serialB }), device('/dev/vdc', { serial: serialA })],
      ),
    ).toEqual([
      ['a', '/dev/vdc'],
      ['b', '/dev/vdb'],
    ]);
  });
  test('accepts the first 20 characters of a serial where that is all there is', async () => {
    expect(await paths([bySerial('a', serialA)], [device('/dev/vdb', { serial: serialA.slice(0, 20) })])).toEqual([
      ['a', '/dev/vdb'],
    ]);
  });
  test.each([
    ['a prefix shorter than 20', [device('/dev/vdb', { serial: serialA.slice(0, 19) })]],
    ['no serial', [device('/dev/vdb')]],
    ['a device that is too small', [device('/dev/vdb', { serial: serialA, sizeBytes: GiB - 512 })]],
    ['a device that is far too large', [device('/dev/vdb', { serial: serialA, sizeBytes: 3 * GiB })]],
    ['a device in use', [device('/dev/vdb', { serial: serialA, inUse: true })]],
    ['two that fit', [device('/dev/vdb', { serial: serialA }), device('/dev/vdc', { serial: serialA.slice(0, 20) })]],
  ])('refuses %s', async (_, devices) => {
    await expect(matchDevices([bySerial('a', serialA)], devices)).rejects.toEqual(notMatched);
  });
  test('refuses one device for two volumes', async () => {
    await expect(
      matchDevices(
        [bySerial('a', serialA), bySerial('b', serialB)],
        [device('/dev/vdb', { serial: serialA.slice(0, 20) })],
      ),
    ).rejects.toThrowError(/also fits/);
  });
});

describe('matching by what else a platform knows', () => {
  const devices = [
    device('/dev/sda', { lun: 0, inUse: true }),
    device('/dev/sdb', { lun: 1 }),
    device('/dev/sdc', { lun: 0, byPath: ['ip-10.0.0.1:3260-iscsi-iqn.a-lun-2'] }),
  ];
  test('a LUN, not that of a disk in use', async () => {
    expect(
      await paths([attached('a', { kind: 'lun', lun: 0 }), attached('b', { kind: 'lun', lun: 1 })], devices),
    ).toEqual([
      ['a', '/dev/sdc'],
      ['b', '/dev/sdb'],
    ]);
  });
  test('a LUN by the rules of the cloud alone, where the machine has disks of others', async () => {
    const linked = attached('a', { kind: 'lun', lun: 3, isLinked: true });
    expect(
      await paths(
        [linked],
        [device('/dev/sdb', { lun: 3 }), device('/dev/sdc', { lun: 3, byPath: ['azure/scsi1/lun3'] })],
      ),
    ).toEqual([['a', '/dev/sdc']]);
    await expect(matchDevices([linked], [device('/dev/sdb', { lun: 3 })])).rejects.toThrowError(/lun 3, /);
  });
  test('the one that appeared with the volume, and no other one that has got its name', async () => {
    const paired = (sequence?: number) => ({
      ...attached('a', { kind: 'lun', lun: 1 }),
      device: { path: '/dev/sdb', ...(sequence === undefined ? {} : { sequence }) },
    });
    expect(await paths([paired()], devices)).toEqual([['a', '/dev/sdb']]);
    expect(await paths([paired(7)], [device('/dev/sdb', { lun: 1, sequence: 7 })])).toEqual([['a', '/dev/sdb']]);
    await expect(matchDevices([paired(7)], [device('/dev/sdb', { lun: 1, sequence: 8 })])).rejects.toEqual(notMatched);
    await expect(matchDevices([paired()], [device('/dev/sdd', { lun: 1 })])).rejects.toEqual(notMatched);
  });
  test('a path, with or without its folder', async () => {
    for (const path of ['ip-10.0.0.1:3260-iscsi-iqn.a-lun-2', '/dev/disk/by-path/ip-10.0.0.1:3260-iscsi-iqn.a-lun-2']) {
      expect(await paths([attached('a', { kind: 'by-path', path })], devices)).toEqual([['a', '/dev/sdc']]);
    }
  });
  test('a target that is logged in to, whatever the number of its disk, and its secret is not told where there is none', async () => {
    const login = { target: 'iqn.a', portal: '10.0.0.1:3260', user: 'u', secret: 'very-secret' };
    const target = attached('a', { kind: 'by-path', path: 'ip-10.0.0.1:3260-iscsi-iqn.a', login });
    expect(await paths([target], devices)).toEqual([['a', '/dev/sdc']]);
    expect(loginsOf([target, attached('b', { kind: 'lun', lun: 1 })])).toEqual([login]);
    const error = await matchDevices(
      [target],
      [device('/dev/sdc', { byPath: ['ip-10.0.0.1:3260-iscsi-iqn.ab-lun-2'] })],
    ).catch((reason: unknown) => reason);
    expect(error).toEqual(notMatched);
    expect(JSON.stringify(error) + String(error)).not.toContain('very-secret');
    await expect(
      matchDevices([attached('a', { kind: 'by-path', path: 'ip-10.0.0.1:3260-iscsi-iqn.a' })], devices),
    ).rejects.toEqual(notMatched);
  });
  test("accepts the kernel's own name where the platform gives that, and nothing that only looks alike", async () => {
    const volumes = [
      attached('a', { kind: 'by-path', path: 'xvdb' }),
      attached('b', { kind: 'by-path', path: 'xvdc' }),
    ];
    expect(await paths(volumes, [device('/dev/xvdc'), device('/dev/xvda'), device('/dev/xvdb')])).toEqual([
      ['a', '/dev/xvdb'],
      ['b', '/dev/xvdc'],
    ]);
    await expect(matchDevices(volumes, [device('/dev/xvdb'), device('/dev/xvdca')])).rejects.toEqual(notMatched);
  });
  test('the order of attachment, sdb before sdaa, when there is a device of the right size for each volume', async () => {
    const free = [device('/dev/sdaa'), device('/dev/sda', { inUse: true }), device('/dev/sdb', { sizeBytes: 2 * GiB })];
    expect(await paths([inOrder('b', 2), inOrder('a', 1, { sizeBytes: 2 * GiB })], free)).toEqual([
      ['a', '/dev/sdb'],
      ['b', '/dev/sdaa'],
    ]);
  });
  test('the size alone, when a device fits only one volume', async () => {
    const free = [
      device('/dev/sdb', { sizeBytes: 8 * GiB }),
      device('/dev/sdc', { sizeBytes: 4 * GiB }),
      device('/dev/sdd'),
    ];
    expect(await paths([inOrder('a', 1), inOrder('b', 2, { sizeBytes: 4 * GiB })], free)).toEqual([
      ['a', '/dev/sdd'],
      ['b', '/dev/sdc'],
    ]);
  });
  test('nothing of it is a guess', async () => {
    const three = [device('/dev/sdb'), device('/dev/sdc'), device('/dev/sdd')];
    await expect(matchDevices([inOrder('a', 1), inOrder('b', 2)], three)).rejects.toEqual(notMatched);
    await expect(matchDevices([inOrder('a', 1)], [])).rejects.toEqual(notMatched);
    await expect(matchDevices([inOrder('a', 1), inOrder('b', 1)], three.slice(1))).rejects.toEqual(notMatched);
  });
});

describe('the probe', () => {
  const two = [device('/dev/sdb'), device('/dev/sdc')];
  const second = async () => two[1];
  test('decides for a volume that was created empty', async () => {
    expect(await paths([inOrder('a', 1, { createdByThisCall: true })], two, second)).toEqual([['a', '/dev/sdc']]);
  });
  test.each([
    ['a volume that may hold data', [inOrder('a', 1)]],
    [
      'two empty volumes of one size',
      [inOrder('a', 1, { createdByThisCall: true }), inOrder('b', 2, { createdByThisCall: true })],
    ],
  ])('is not asked about %s', async (_, volumes) => {
    await expect(matchDevices(volumes, [...two, device('/dev/sdd')], second)).rejects.toEqual(notMatched);
  });
  test('that cannot tell is an error', async () => {
    await expect(
      matchDevices([inOrder('a', 1, { createdByThisCall: true })], two, async () => undefined),
    ).rejects.toEqual(notMatched);
  });
});
