import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { HostSlots } from '../../electron/engine/platforms/virtualization-platform/nfc/host-slots.ts';
import { openNfcDisk } from '../../electron/engine/platforms/virtualization-platform/nfc/nfc-disk.ts';
import type { NfcServer } from '../rigs/virtualization-platform/nfc-server/nfc-server.ts';
import {
  TicketOffice,
  contentDisk,
  patternContent,
} from '../rigs/virtualization-platform/nfc-server/served-content.ts';
import { seeded } from '../rigs/seeded.ts';
import {
  MIB,
  PATH,
  closeAfterEach,
  content,
  failure,
  listed,
  oneHost,
  openDisk,
  quick,
  readWhole,
  signal,
  startHost,
  wayTo,
} from '../conformance/nfc-disks.ts';

closeAfterEach();

describe('a connection that ends', () => {
  const random = seeded(11);
  const places = Array.from({ length: 6 }, () => 1000 + Math.floor(random() * 0.7 * MIB));
  for (const encryption of ['required', 'never'] as const) {
    it(`within a fragment, again and again (encryption ${encryption}): the disk is read to the end, and only what had not come is asked for again`, async () => {
      const { office, host } = await oneHost();
      for (const afterBytes of places) host.faults.add({ kind: 'cut', afterBytes, times: 1 });
      const { disk, events } = await openDisk(office, () => host, { encryption, compression: 0, depth: 4 });
      expect((await readWhole(disk, 256 * 1024)).equals(content)).toBe(true);
      expect(events.filter(({ kind }) => kind === 'lost').length).toBe(places.length);
      expect(office.issued).toBe(places.length + 1);
      const asked = host.state.reads.reduce((sum, { length }) => sum + length, 0);
      // At most what was under way at each loss came twice.
      expect(asked).toBeLessThanOrEqual(content.length + places.length * 4 * 256 * 1024);
      expect(asked).toBeGreaterThan(content.length);
    });
  }

  it('while the platform gives no ticket for a moment, and then does', async () => {
    const { office, host } = await oneHost();
    const { disk, events } = await openDisk(office, () => host, {
      ticket: () =>
        office.issued === 1 || office.issued === 2
          ? (office.issue('vm-1', 'nowhere'),
            Promise.reject(new CausewayError('source.unreachable', 'vcenter.test: connection refused')))
          : Promise.resolve(host.ticket(office.issue('vm-1', host.host))),
    });
    host.dropAll();
    expect((await readWhole(disk)).equals(content)).toBe(true);
    expect(events.filter(({ kind }) => kind === 'retrying')).toMatchObject([
      { reason: { code: 'source.unreachable' } },
      { reason: { code: 'source.unreachable' } },
    ]);
  });

  it('because the host falls silent', async () => {
    const { office, host } = await oneHost();
    host.faults.add({ kind: 'silence', afterBytes: MIB + 77, times: 1 });
    const { disk, events } = await openDisk(office, () => host, { timeouts: { ...quick, silenceMs: 500 } });
    expect((await readWhole(disk)).equals(content)).toBe(true);
    expect(events.find(({ kind }) => kind === 'lost')).toMatchObject({
      reason: { code: 'source.connection-lost', message: expect.stringContaining('nothing for 500 ms') as string },
    });
  });

  it('while nobody reads: the next read opens it again', async () => {
    const { office, host } = await oneHost();
    const { disk, events } = await openDisk(office, () => host);
    host.dropAll();
    await expect.poll(() => events.some(({ kind }) => kind === 'lost')).toBe(true);
    expect(office.issued).toBe(1);
    expect((await readWhole(disk)).equals(content)).toBe(true);
    expect(office.issued).toBe(2);
  });

  it('and never comes back: the reads fail with the reason, and the place on the host is free', async () => {
    const { office, host } = await oneHost();
    const slots = new HostSlots();
    host.faults.add({ kind: 'cut', afterBytes: 4000 });
    const { disk } = await openDisk(office, () => host, { attempts: 4, slots });
    expect((await failure(readWhole(disk))).code).toBe('source.connection-lost');
    expect(slots.inUse(host.host)).toBe(0);
    expect(office.issued).toBe(4);
  });

  it('and a map that was asked for meanwhile is asked for again', async () => {
    const { office, host } = await oneHost();
    host.faults.add({ kind: 'cut', afterBytes: 264 * 3 + 200, times: 1 });
    const { disk } = await openDisk(office, () => host);
    expect((await listed(disk.allocated(signal, 0))).reduce((sum, { length }) => sum + length, 0)).toBe(content.length);
  });

  it('because the VM moves to another host in the middle of a disk', async () => {
    const office = new TicketOffice();
    office.add(contentDisk(PATH, 'vm-1', content));
    const first = await startHost(office, { host: '127.0.0.2' });
    const second = await startHost(office, { host: '127.0.0.3' });
    const moved = '[ds2] vm/vm-000001.vmdk';
    let current = first;
    let path = PATH;
    const { disk, events } = await openDisk(office, () => current, {
      path: () => Promise.resolve(path),
      depth: 2,
      compression: 0,
    });
    const into = Buffer.alloc(content.length);
    const chunk = 256 * 1024;
    const reads: Promise<void>[] = [];
    for (let at = 0; at < into.length; at += chunk)
      reads.push(disk.read(at, into.subarray(at, Math.min(at + chunk, into.length)), signal));
    await reads[3];
    // Storage moves too: the file has another name from now on.
    office.add(contentDisk(moved, 'vm-1', content));
    path = moved;
    current = second;
    first.dropAll();
    await Promise.all(reads);
    expect(into.equals(content)).toBe(true);
    expect(events.filter(({ kind }) => kind === 'opened').map((event) => ('host' in event ? event.host : ''))).toEqual([
      '127.0.0.2',
      '127.0.0.3',
    ]);
    expect(second.state.reads.length).toBeGreaterThan(0);
    expect(second.state.reads.every((read) => read.path === moved)).toBe(true);
    expect(Math.min(...second.state.reads.map(({ offset }) => offset))).toBeGreaterThanOrEqual(3 * chunk);
  });

  it('and a disk of another size comes back: source.disk-replaced', async () => {
    const { office, host } = await oneHost();
    const { disk, events } = await openDisk(office, () => host);
    office.add(contentDisk(PATH, 'vm-1', patternContent(6 * MIB, 4)));
    host.dropAll();
    await expect.poll(() => events.some(({ kind }) => kind === 'lost')).toBe(true);
    expect((await failure(readWhole(disk))).code).toBe('source.disk-replaced');
  });
});

describe('cancelling', () => {
  it('ends a read at once and leaves its buffer alone from then on, while others end well', async () => {
    const { office, host } = await oneHost();
    const storage = Promise.withResolvers<void>();
    const disk = contentDisk(PATH, 'vm-1', content);
    office.add({ ...disk, read: async (offset, length) => (await storage.promise, disk.read(offset, length)) });
    const opened = (await openDisk(office, () => host)).disk;
    const stop = new AbortController();
    const cancelledInto = Buffer.alloc(2 * MIB);
    const kept = Buffer.alloc(2 * MIB);
    const cancelled = failure(opened.read(0, cancelledInto, stop.signal));
    const other = opened.read(2 * MIB, kept, signal);
    await expect.poll(() => host.state.reads.length).toBeGreaterThan(0);
    stop.abort();
    expect((await cancelled).code).toBe('general.cancelled');
    cancelledInto.fill(0xa5);
    // Only now the host answers, to all of them.
    storage.resolve();
    await other;
    expect(kept.equals(content.subarray(2 * MIB, 4 * MIB))).toBe(true);
    expect((await readWhole(opened)).equals(content)).toBe(true);
    expect(cancelledInto.every((byte) => byte === 0xa5)).toBe(true);
    expect(host.state.opened.length).toBe(1);
  });

  for (const where of ['ticket', 'login', 'session', 'waiting for a place'] as const) {
    it(`ends opening (${where}) and leaves nothing behind`, async () => {
      const { office, host } = await oneHost();
      const stop = new AbortController();
      const slots = new HostSlots({ connections: 1 });
      const held = where === 'waiting for a place' ? await slots.acquire(host.host, signal) : undefined;
      if (where === 'session') host.faults.add({ kind: 'silence', afterBytes: 100 });
      const way = wayTo(office, () => host, {
        slots,
        ...(where === 'ticket'
          ? {
              ticket: (life: AbortSignal) =>
                new Promise((_resolve, reject) =>
                  life.addEventListener('abort', () => reject(life.reason as Error), { once: true }),
                ),
            }
          : {}),
        onEvent: (event) => {
          if (event.kind === 'waiting') stop.abort();
        },
      });
      const opening = failure(openNfcDisk(way, stop.signal));
      if (where === 'session') await expect.poll(() => host.state.connections).toBe(1);
      if (where !== 'waiting for a place') stop.abort();
      expect((await opening).code).toBe('general.cancelled');
      held?.release();
      expect(slots.inUse(host.host)).toBe(0);
      await expect.poll(() => host.state.connections).toBe(0);
    });
  }
});

describe('many disks', () => {
  it('30 disks of 30 VMs on 3 hosts are read together within what each host allows', async () => {
    const office = new TicketOffice();
    const limits = { connections: 4, largestBuffer: 2 * MIB };
    const hosts = await Promise.all(
      ['127.0.0.2', '127.0.0.3', '127.0.0.4'].map((host) => startHost(office, { host, limits })),
    );
    const slots = new HostSlots({ connections: 4, reads: 6 });
    const wanted = Array.from({ length: 30 }, (_, index) => patternContent(MIB + 512, index + 20));
    wanted.forEach((one, index) => office.add(contentDisk(`[ds] vm-${index}.vmdk`, `vm-${index}`, one)));
    const refused: unknown[] = [];
    const read = await Promise.all(
      wanted.map(async (_content, index) => {
        const host = hosts[index % 3] as NfcServer;
        const disk = await openNfcDisk(
          {
            ticket: () => Promise.resolve(host.ticket(office.issue(`vm-${index}`, host.host))),
            path: () => Promise.resolve(`[ds] vm-${index}.vmdk`),
            slots,
            timeouts: quick,
            onEvent: (event) => {
              if (event.kind === 'retrying' || event.kind === 'lost') refused.push(event);
            },
          },
          signal,
        );
        try {
          return await readWhole(disk, 128 * 1024);
        } finally {
          await disk.close();
        }
      }),
    );
    read.forEach((one, index) => expect(one.equals(wanted[index] as Buffer), `disk ${index}`).toBe(true));
    for (const { state } of hosts) {
      expect(state.opened.length).toBe(10);
      expect(state.mostConnections).toBeLessThanOrEqual(4);
      expect(state.mostConnections).toBeGreaterThan(1);
      expect(state.mostReads).toBeLessThanOrEqual(6);
      expect(state.violations).toEqual([]);
    }
    expect(refused).toEqual([]);
  });
});
