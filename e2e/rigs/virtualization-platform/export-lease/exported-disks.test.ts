import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ExportLeases, type ExportLeasesOptions } from './export-leases.ts';
import { wholeStream } from '../../../../electron/engine/images/testing/build-vmdk-stream.ts';
import { startHttpsHost, type HttpsHost } from '../https-host.ts';
import { memoryDisk } from '../memory-disk.ts';
import type { ExportCalls } from '../../../../electron/engine/platforms/virtualization-platform/export-lease/export-calls.ts';
import {
  ExportedDisks,
  type ExportedDisksOptions,
} from '../../../../electron/engine/platforms/virtualization-platform/export-lease/exported-disks.ts';

const MIB = 1024 * 1024;
const never = new AbortController().signal;
const bytes = Buffer.concat([randomBytes(2 * MIB), Buffer.alloc(12 * MIB), randomBytes(MIB + 512)]);
const other = Buffer.concat([Buffer.alloc(MIB, 7), randomBytes(4096)]);
const first = {
  name: 'disk 1',
  sizeBytes: bytes.length,
  attachment: { controllerType: 'ParaVirtualSCSIController', busNumber: 0, unitNumber: 0 },
};
const second = {
  name: 'disk 2',
  sizeBytes: other.length,
  attachment: { controllerType: 'ParaVirtualSCSIController', busNumber: 0, unitNumber: 10 },
};
const hosts: HttpsHost[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop();
});

async function lab(more: Partial<ExportedDisksOptions> = {}, rig: Partial<ExportLeasesOptions> = {}) {
  const notes: string[] = [];
  const state: { host?: HttpsHost } = {};
  const leases = new ExportLeases({
    origin: () => `https://*:${state.host?.port}`,
    sslThumbprint: () => state.host?.sslThumbprint,
    ...rig,
  });
  const host = await startHttpsHost(leases.handle);
  state.host = host;
  hosts.push(host);
  const calls: ExportCalls = {
    begin: () =>
      Promise.resolve(
        leases.begin([
          { key: '/vm-7/ParaVirtualSCSIController0:0', disk: memoryDisk('[ds1] a/a.vmdk', bytes) },
          { key: '/vm-7/ParaVirtualSCSIController0:10', disk: memoryDisk('[ds1] a/a_1.vmdk', other) },
        ]),
      ),
    state: (id) => Promise.resolve(leases.state(id)),
    progress: async (id, percent) => leases.progress(id, percent),
    complete: async (id) => leases.end(id, 'completed'),
    abort: async (id) => leases.end(id, 'aborted'),
  };
  const disks = new ExportedDisks({
    calls,
    host: 'localhost',
    trust: {},
    note: (message) => notes.push(message),
    backOff: { attempts: 3, firstMs: 1, capMs: 1 },
    ...more,
  });
  return { leases, disks, notes, host, calls };
}

async function piecewise(
  disk: { sizeBytes: number; read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> },
  piece = MIB,
): Promise<Buffer> {
  const all = Buffer.alloc(disk.sizeBytes, 0xee);
  const offsets = Array.from({ length: Math.ceil(disk.sizeBytes / piece) }, (_, index) => index * piece);
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      for (let offset = offsets.shift(); offset !== undefined; offset = offsets.shift())
        await disk.read(offset, all.subarray(offset, offset + piece), never);
    }),
  );
  return all;
}

describe('disks of an export', () => {
  it('gives the bytes of each disk from one stream each, and completes the lease with the last', async () => {
    const { disks, leases, notes } = await lab();
    const [one, two] = [await disks.openDisk(first, never), await disks.openDisk(second, never)];
    const [read, readToo] = await Promise.all([piecewise(one), piecewise(two, 65_536)]);
    expect(read.equals(bytes)).toBe(true);
    expect(readToo.equals(other)).toBe(true);
    expect(leases.streams.toSorted()).toEqual([
      '/vm-7/ParaVirtualSCSIController0:0',
      '/vm-7/ParaVirtualSCSIController0:10',
    ]);
    await one.close();
    expect(leases.ends()).toEqual([undefined]);
    await two.close();
    expect(leases.ends()).toEqual(['completed']);
    expect(notes).toEqual([]);
  });

  it('reads any range in any order, starting over for what has gone by', async () => {
    const { disks, leases, notes } = await lab({ windowBytes: MIB });
    const disk = await disks.openDisk(first, never);
    for (const [offset, length] of [
      [14 * MIB, 512],
      [0, 1024],
      [MIB + 77, 100_000],
      [bytes.length - 512, 512],
      [MIB, 2 * MIB],
    ] as const) {
      const into = Buffer.alloc(length, 0xee);
      await disk.read(offset, into, never);
      expect(into.equals(bytes.subarray(offset, offset + length)), `${offset}`).toBe(true);
    }
    expect(leases.streams).toHaveLength(3);
    expect(notes).toHaveLength(2);
    await disk.close();
  });

  it('keeps what is read out of order within the window, and no more than the window', async () => {
    const { disks, leases } = await lab({ windowBytes: 4 * MIB });
    const disk = await disks.openDisk(first, never);
    await disk.read(MIB, Buffer.alloc(MIB), never);
    const into = Buffer.alloc(MIB);
    await disk.read(0, into, never);
    expect(into.equals(bytes.subarray(0, MIB))).toBe(true);
    expect(leases.streams).toHaveLength(1);
    await disk.close();
    expect(leases.ends()).toEqual(['aborted']);
  });

  it.each([
    ['a broken connection', { cutAfter: MIB }],
    ['silence', { silent: true }],
    ['a server that fails', { status: 503 }],
  ])('starts over after %s and gives the same bytes', async (_what, fault) => {
    const { disks, leases } = await lab({ inactivityMs: 1500 });
    Object.assign(leases.faults, fault);
    const disk = await disks.openDisk(first, never);
    expect((await piecewise(disk)).equals(bytes)).toBe(true);
    expect(leases.streams).toHaveLength(2);
    await disk.close();
    expect(leases.ends().at(-1)).toBe('completed');
    expect(leases.ends()).not.toContain(undefined);
  });

  it('takes another lease when the platform ended the first', async () => {
    const { disks, leases } = await lab();
    const disk = await disks.openDisk(first, never);
    leases.end('lease-1', 'lapsed');
    expect((await piecewise(disk)).equals(bytes)).toBe(true);
    await disk.close();
    expect(leases.ends()).toEqual(['lapsed', 'completed']);
  });

  it('asks the server that was signed in to on its own port, where the export names neither', async () => {
    const { leases, host, calls } = await lab({}, { origin: () => 'https://*' });
    const disks = new ExportedDisks({ calls, host: 'localhost', port: host.port, trust: {} });
    const disk = await disks.openDisk(second, never);
    expect((await piecewise(disk)).equals(other)).toBe(true);
    await disk.close();
    expect(leases.ends()).toEqual(['completed']);
  });

  it('renews the lease while it is held', async () => {
    const callbacks: (() => void)[] = [];
    const { disks, leases } = await lab({
      clock: {
        monotonic: () => performance.now(),
        wallTime: () => Date.now(),
        sleep: () => Promise.resolve(),
        after: (_ms, callback) => {
          callbacks.push(callback);
          return () => undefined;
        },
      },
    });
    const disk = await disks.openDisk(first, never);
    callbacks.shift()?.();
    await vi.waitFor(() => expect(callbacks).toHaveLength(1));
    callbacks.shift()?.();
    await vi.waitFor(() => expect(callbacks).toHaveLength(1));
    expect(leases.renewals()).toBe(2);
    await disk.close();
  });

  it.each([
    ['a stream that is none', () => Promise.resolve(Buffer.alloc(4096, 'no VMDK '))],
    ['a stream that was cut short', async () => (await wholeStream(memoryDisk('x', bytes))).subarray(0, MIB)],
    ['a disk of another size', () => wholeStream(memoryDisk('x', other))],
  ])('refuses %s', async (_what, make) => {
    const { disks, leases } = await lab();
    leases.faults.instead = await make();
    const disk = await disks.openDisk(first, never);
    await expect(disk.read(4 * MIB, Buffer.alloc(MIB), never)).rejects.toMatchObject({
      code: 'source.image-unreadable',
    });
    await disk.close();
    expect(leases.ends()).toEqual(['aborted']);
  });

  it('gives up after a bounded number of losses, and a later read tries again', async () => {
    const { disks, leases } = await lab();
    const disk = await disks.openDisk(first, never);
    leases.faults.always = 503;
    await expect(disk.read(0, Buffer.alloc(512), never)).rejects.toMatchObject({ code: 'source.connection-lost' });
    await disk.close();
    expect(leases.ends()).not.toContain(undefined);
  });

  it('refuses a host with another certificate, and a disk that is not in the export', async () => {
    const { disks, leases } = await lab({}, { sslThumbprint: () => 'AA:'.repeat(19) + 'AA' });
    const disk = await disks.openDisk(first, never);
    await expect(disk.read(0, Buffer.alloc(512), never)).rejects.toMatchObject({ code: 'source.tls-refused' });
    await disk.close();
    await expect(
      disks.openDisk({ ...first, attachment: { ...first.attachment, unitNumber: 3 } }, never),
    ).rejects.toMatchObject({ code: 'source.disk-not-found' });
    expect(leases.ends()).toEqual(['aborted', 'aborted']);
    expect(leases.streams).toEqual([]);
  });

  it.each(['http://localhost/nfc/x', 'file:///etc/passwd', 'https://user@localhost/x', ''])(
    'requests nothing from %j',
    async (url) => {
      const { calls } = await lab();
      const odd: ExportCalls = {
        ...calls,
        state: () =>
          Promise.resolve({
            state: 'ready',
            devices: [{ key: '/vm-7/ParaVirtualSCSIController0:0', url, isDisk: true }],
          }),
      };
      const disks = new ExportedDisks({ calls: odd, host: 'localhost', trust: {} });
      const disk = await disks.openDisk(first, never);
      await expect(disk.read(0, Buffer.alloc(512), never)).rejects.toMatchObject({ code: 'source.protocol' });
      await disk.close();
    },
  );

  it('ends reads that are cancelled and the lease of a refused export', async () => {
    const { disks, leases, calls } = await lab();
    const disk = await disks.openDisk(first, never);
    leases.faults.silent = true;
    const stop = new AbortController();
    const cancelled = disk.read(0, Buffer.alloc(512), stop.signal);
    stop.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'general.cancelled' });
    await disk.close();
    expect(leases.ends()).toEqual(['aborted']);
    const begun = Promise.withResolvers<void>();
    const during = new AbortController();
    const late = new ExportedDisks({
      calls: {
        ...calls,
        begin: async (signal) => {
          during.abort();
          await begun.promise;
          signal.throwIfAborted();
          return calls.begin(signal);
        },
      },
      host: 'localhost',
      trust: {},
    });
    const opening = expect(late.openDisk(first, during.signal)).rejects.toMatchObject({ code: 'general.cancelled' });
    begun.resolve();
    await opening;
    expect(leases.ends()).toEqual(['aborted', 'aborted']);
    const refused = new ExportedDisks({
      calls: {
        ...calls,
        state: () => Promise.resolve({ state: 'error', reason: 'The operation is not allowed in the current state.' }),
      },
      host: 'localhost',
      trust: {},
    });
    await expect(refused.openDisk(first, never)).rejects.toMatchObject({
      code: 'source.request-refused',
      message: expect.stringContaining('not allowed') as string,
    });
    expect(leases.ends()).toEqual(['aborted', 'aborted', 'aborted']);
  });
});
