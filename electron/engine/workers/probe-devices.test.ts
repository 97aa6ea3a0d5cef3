import { expect, test } from 'vitest';
import type { WorkerDevice, WriteTarget } from '../ports/write-target.ts';
import { probeEmptyDevice } from './probe-devices.ts';

const size = 1024 * 1024;
const never = new AbortController().signal;

function sessionOf(disks: Readonly<Record<string, Buffer>>) {
  const log: string[] = [];
  const open = async ({ path }: WorkerDevice): Promise<WriteTarget> => {
    const bytes = disks[path] ?? Buffer.alloc(0);
    return {
      sizeBytes: bytes.length,
      alignmentBytes: 1,
      write: async (offset, data) => {
        log.push(`write ${path}`);
        bytes.set(data, offset);
        return { bytesSent: data.length };
      },
      zero: async (offset, length) => void bytes.fill(0, offset, offset + length),
      flush: async () => void log.push(`flush ${path}`),
      read: async (offset, into) => void into.set(bytes.subarray(offset, offset + into.length)),
      close: async () => void log.push(`close ${path}`),
    };
  };
  const devices = Object.keys(disks).map((path): WorkerDevice => ({
    path,
    serial: '',
    byPath: [],
    sizeBytes: size,
    inUse: false,
  }));
  return { log, devices, probe: () => probeEmptyDevice({ open }, devices, never) };
}

const zeros = (): Buffer => Buffer.alloc(size);
const withByteAt = (at: number): Buffer => {
  const bytes = zeros();
  bytes[at] = 1;
  return bytes;
};

test('finds the one device that is empty, restores it and writes to no other', async () => {
  const disks = { '/dev/sdb': withByteAt(0), '/dev/sdc': zeros(), '/dev/sdd': withByteAt(size - 1) };
  const { log, probe } = sessionOf(disks);
  expect((await probe())?.path).toBe('/dev/sdc');
  expect(disks['/dev/sdc'].equals(zeros())).toBe(true);
  expect(log.filter((line) => line.startsWith('write'))).toEqual(['write /dev/sdc', 'write /dev/sdc']);
  expect(log.filter((line) => line.startsWith('close'))).toHaveLength(3);
});

test('takes one disk that has several paths for one', async () => {
  const disk = zeros();
  expect((await sessionOf({ '/dev/sdb': disk, '/dev/sdc': disk }).probe())?.path).toBe('/dev/sdb');
  expect(disk.equals(zeros())).toBe(true);
});

test('does not tell between two empty disks, nor when none is empty, and leaves both as they were', async () => {
  const disks = { '/dev/sdb': zeros(), '/dev/sdc': zeros() };
  expect(await sessionOf(disks).probe()).toBeUndefined();
  expect(Object.values(disks).every((disk) => disk.equals(zeros()))).toBe(true);
  expect(await sessionOf({ '/dev/sdb': withByteAt(7) }).probe()).toBeUndefined();
});
