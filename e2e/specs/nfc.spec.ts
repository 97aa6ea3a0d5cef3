import { afterEach, describe, expect, it } from 'vitest';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import type { Extent } from '../../shared/model/extent.ts';
import { HostSlots } from '../../electron/engine/platforms/virtualization-platform/nfc/host-slots.ts';
import { openNfcDisk, type NfcDisk, type NfcDiskOptions, type NfcEvent } from '../../electron/engine/platforms/virtualization-platform/nfc/nfc-disk.ts';
import type { Tamper } from '../rigs/virtualization-platform/nfc-server/faults.ts';
import { startNfcServer, type NfcServer, type NfcServerOptions } from '../rigs/virtualization-platform/nfc-server/nfc-server.ts';
import { seeded } from '../rigs/seeded.ts';
import { TicketOffice, contentDisk, extentsOf, patternContent } from '../rigs/virtualization-platform/nfc-server/served-content.ts';

const MIB = 2 ** 20;
const PATH = '[ds1] vm/vm-000001.vmdk';
const signal = new AbortController().signal;
/** Neither a multiple of a block nor of a cylinder. */
const content = patternContent(5 * MIB + 37 * 512, 3);

const toClose: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});

async function startHost(office: TicketOffice, options: Partial<NfcServerOptions> = {}): Promise<NfcServer> {
  const server = await startNfcServer({ host: '127.0.0.1', disks: office, ...options });
  toClose.push(() => server.close());
  return server;
}

/** One host with one disk on it. */
async function oneHost(options: Partial<NfcServerOptions> = {}): Promise<{ readonly office: TicketOffice; readonly host: NfcServer }> {
  const office = new TicketOffice();
  office.add(contentDisk(PATH, 'vm-1', content));
  return { office, host: await startHost(office, options) };
}

interface Opened {
  readonly disk: NfcDisk;
  readonly events: NfcEvent[];
}

const quick = { firstPauseMs: 1, longestPauseMs: 5 };

function wayTo(office: TicketOffice, host: () => NfcServer, more: Partial<NfcDiskOptions> = {}): NfcDiskOptions {
  return {
    ticket: () => Promise.resolve(host().ticket(office.issue('vm-1', host().host))),
    path: () => Promise.resolve(PATH),
    slots: new HostSlots(),
    timeouts: quick,
    ...more,
  };
}

async function open(office: TicketOffice, host: () => NfcServer, more: Partial<NfcDiskOptions> = {}): Promise<Opened> {
  const events: NfcEvent[] = [];
  const disk = await openNfcDisk(wayTo(office, host, { onEvent: (event) => events.push(event), ...more }), signal);
  toClose.push(() => disk.close());
  return { disk, events };
}

/** Reads the whole disk as the pipeline does: chunks, several at once. */
async function readWhole(disk: NfcDisk, chunk = 768 * 1024): Promise<Buffer> {
  const into = Buffer.alloc(disk.sizeBytes, 0xee);
  const reads: Promise<void>[] = [];
  for (let at = 0; at < into.length; at += chunk) reads.push(disk.read(at, into.subarray(at, Math.min(at + chunk, into.length)), signal));
  await Promise.all(reads);
  return into;
}

async function listed(extents: AsyncIterable<Extent>): Promise<Extent[]> {
  const all: Extent[] = [];
  for await (const extent of extents) all.push(extent);
  return all;
}

async function failure(action: Promise<unknown>): Promise<CausewayError> {
  const outcome = await action.then(() => undefined, (error: unknown) => error as CausewayError);
  if (outcome === undefined) throw new Error('it succeeded');
  return outcome;
}

describe('reading a disk from a host', () => {
  for (const profile of ['esxi-8', 'esxi-7'] as const) {
    for (const encryption of ['required', 'never'] as const) {
      it(`reads every byte (${profile}, encryption ${encryption})`, async () => {
        const { office, host } = await oneHost({ profile });
        const { disk, events } = await open(office, () => host, { encryption });
        expect(disk.sizeBytes).toBe(content.length);
        expect((await readWhole(disk)).equals(content)).toBe(true);
        expect(events).toMatchObject([{ kind: 'opened', host: '127.0.0.1', version: profile === 'esxi-8' ? 11 : 9, compression: 3 }]);
        await disk.close();
        await expect.poll(() => host.state.closedWell).toBe(1);
        expect(host.state.violations).toEqual([]);
      });
    }
  }

  for (const compression of [0, 1, 2, 3] as const) {
    it(`reads every byte with compression ${compression}`, async () => {
      const { office, host } = await oneHost();
      const { disk } = await open(office, () => host, { compression });
      expect((await readWhole(disk)).equals(content)).toBe(true);
      expect(host.state.reads.every((read) => read.compression === compression)).toBe(true);
      if (compression === 0) expect(disk.wireBytes).toBe(content.length);
      else expect(disk.wireBytes).toBeLessThan(content.length * 0.8);
    });
  }

  it('lists what is allocated, from any place, and the tail without asking', async () => {
    const { office, host } = await oneHost();
    const { disk } = await open(office, () => host);
    const all = await listed(disk.allocated(signal, 0));
    const expected = extentsOf(content);
    const tail = content.length - (content.length % 65_536);
    const dataBytes = (extents: readonly Extent[]): number => extents.filter(({ kind }) => kind === 'data').reduce((sum, { length }) => sum + length, 0);
    expect(all.at(-1)?.kind).toBe('data');
    expect(all.reduce((end, extent) => (expect(extent.offset).toBe(end), end + extent.length), 0)).toBe(content.length);
    expect(dataBytes(all.map((extent) => ({ ...extent, length: Math.min(extent.length, Math.max(0, tail - extent.offset)) }))))
      .toBe(dataBytes(expected.map((extent) => ({ ...extent, length: Math.min(extent.length, Math.max(0, tail - extent.offset)) }))));
    const from = 3 * 65_536 + 1024;
    expect((await listed(disk.allocated(signal, from)))[0]?.offset).toBe(from);
    expect(await disk.descriptor('adapterType', signal)).toBe('lsilogic');
    expect(await disk.descriptor('nothing', signal)).toBeUndefined();
    expect(host.state.violations).toEqual([]);
  });

  it('reads ranges that are no whole sectors', async () => {
    const { office, host } = await oneHost();
    const { disk } = await open(office, () => host);
    for (const [offset, length] of [[1, 1], [511, 2], [65_535, 70_001], [content.length - 3, 3]] as const) {
      const into = Buffer.alloc(length);
      await disk.read(offset, into, signal);
      expect(into.equals(content.subarray(offset, offset + length))).toBe(true);
    }
    expect((await failure(disk.read(content.length - 1, Buffer.alloc(2), signal))).code).toBe('general.bug');
    expect(host.state.violations).toEqual([]);
  });
});

describe('a host that answers in its own way', () => {
  for (const bytes of [1, 13, 1000]) {
    it(`cut every ${bytes} bytes`, async () => {
      const { office, host } = await oneHost();
      const small = patternContent(bytes === 1 ? 24 * 512 : 512 * 1024, 5);
      office.add(contentDisk(PATH, 'vm-1', small));
      host.faults.add({ kind: 'split', bytes });
      const { disk } = await open(office, () => host, { encryption: 'never' });
      expect((await readWhole(disk, 4096)).equals(small)).toBe(true);
      expect((await listed(disk.allocated(signal, 0))).length).toBeGreaterThan(0);
    });
  }

  for (const order of ['reversed', 'shuffled'] as const) {
    for (const compression of [0, 3] as const) {
      it(`fragments ${order}, mixed over all requests, compression ${compression}`, async () => {
        const { office, host } = await oneHost();
        host.faults.add({ kind: 'order', order }, { kind: 'small-fragments', bytes: 24 * 512 });
        const { disk } = await open(office, () => host, { compression });
        expect((await readWhole(disk, 2 * MIB)).equals(content)).toBe(true);
        expect(host.state.mostReads).toBeGreaterThan(1);
      });
    }
  }

  for (const claims of [true, false]) {
    it(`raw fragments where compression was asked for, ${claims ? 'said to be compressed' : 'said to be raw'}`, async () => {
      const { office, host } = await oneHost();
      host.faults.add({ kind: 'raw', claims });
      const { disk } = await open(office, () => host, { compression: 2 });
      expect((await readWhole(disk)).equals(content)).toBe(true);
    });
  }

  it('without SHA-256 in the greeting: neither the line nor the message about it', async () => {
    const { office, host } = await oneHost();
    host.faults.add({ kind: 'greeting-without', capability: 'SHA256 supported' });
    const { disk } = await open(office, () => host);
    expect((await readWhole(disk)).equals(content)).toBe(true);
    expect(host.state.violations).toEqual([]);
  });

  it('that ends the session at the token: the next attempt leaves it out', async () => {
    const { office, host } = await oneHost();
    host.faults.add({ kind: 'no-token-message' });
    const { disk } = await open(office, () => host);
    expect((await readWhole(disk)).equals(content)).toBe(true);
    expect(host.state.violations).toEqual(['message 43 where 33 was due']);
  });

  it('without a map of its blocks: everything may hold data, and reading works', async () => {
    const { office, host } = await oneHost();
    host.faults.add({ kind: 'no-block-map' });
    const { disk } = await open(office, () => host);
    expect(await listed(disk.allocated(signal, 0))).toEqual([{ offset: 0, length: content.length, kind: 'data' }]);
    expect((await readWhole(disk)).equals(content)).toBe(true);
  });

  it('that refuses large buffers gets smaller ones', async () => {
    const { office, host } = await oneHost({ limits: { largestBuffer: 256 * 1024 } });
    const { disk, events } = await open(office, () => host);
    expect((await readWhole(disk)).equals(content)).toBe(true);
    expect(events.at(-1)).toMatchObject({ kind: 'opened', bufferBytes: 256 * 1024 });
  });

  it('whose memory is used up is asked again, until others have left', async () => {
    const { office, host } = await oneHost();
    host.faults.add({ kind: 'session-error', code: 5, text: 'Failed to allocate the requested 4194304 bytes', times: 3 });
    const { disk, events } = await open(office, () => host);
    expect(events.filter(({ kind }) => kind === 'retrying').length).toBe(2);
    expect((await readWhole(disk)).equals(content)).toBe(true);
    const error = await (async () => {
      host.faults.add({ kind: 'session-error', code: 5, text: 'Failed to allocate the requested 65536 bytes' });
      return failure(open(office, () => host, { attempts: 3 }));
    })();
    expect(error).toMatchObject({ code: 'source.host-busy', message: expect.stringContaining('65536') as string });
  });

  it('that does not know the compression is asked without', async () => {
    const { office, host } = await oneHost();
    host.faults.add({ kind: 'compression-error' });
    const { disk } = await open(office, () => host);
    expect((await readWhole(disk)).equals(content)).toBe(true);
    expect(host.state.reads.at(-1)?.compression).toBe(0);
  });
});

describe('a host that refuses', () => {
  const cases: readonly (readonly [string, (host: NfcServer, office: TicketOffice) => Partial<NfcDiskOptions> | undefined, string])[] = [
    ['another certificate at the first handshake', (host) => void host.faults.add({ kind: 'other-certificate', handshake: 1 }), 'source.host-certificate-mismatch'],
    ['another certificate at the second handshake', (host) => void host.faults.add({ kind: 'other-certificate', handshake: 2 }), 'source.host-certificate-mismatch'],
    ['another SHA-256 than the certificate has', (host) => void host.faults.add({ kind: 'wrong-sha2' }), 'source.host-certificate-mismatch'],
    ['no TLS for data', (host) => void host.faults.add({ kind: 'greeting-without', capability: 'NFCSSL supported' }), 'source.host-encryption-missing'],
    ['no TLS at all', (host) => void host.faults.add({ kind: 'greeting-without', capability: 'SSL Required' }), 'source.host-encryption-missing'],
    ['the login', (host) => void host.faults.add({ kind: 'login-refused', line: '530 Login incorrect' }), 'source.data-session-refused'],
    ['a disk of another VM', (host, office) => ({ ticket: () => Promise.resolve(host.ticket(office.issue('vm-2', host.host))) }), 'source.disk-access-denied'],
    ['a disk that is not there', () => ({ path: () => Promise.resolve('[ds1] vm/none.vmdk') }), 'source.disk-not-found'],
    ['the live disk of a running VM', (_host, office) => {
      office.add(contentDisk('[ds1] vm/live.vmdk', 'vm-1', content, { isLive: true }));
      return { path: () => Promise.resolve('[ds1] vm/live.vmdk') };
    }, 'source.disk-locked'],
    ['a locked disk, with zeros as the usual reply behind it', (host) => void host.faults.add({ kind: 'open-error', code: 2, text: 'DiskLib error 16392: Failed to lock the file' }), 'source.disk-locked'],
    ['the session, with an error and its text', (host) => void host.faults.add({ kind: 'classic-refused', type: 54, error: 'not today' }), 'source.data-session-refused'],
  ];
  for (const [name, prepare, code] of cases) {
    it(`${name}: ${code}`, async () => {
      const { office, host } = await oneHost();
      const more = prepare(host, office) ?? {};
      const slots = new HostSlots();
      const error = await failure(openNfcDisk(wayTo(office, () => host, { attempts: 3, slots, ...more }), signal));
      expect(error.code, error.message).toBe(code);
      expect(error.message.length).toBeGreaterThan(20);
      expect(slots.inUse(host.host)).toBe(0);
      await expect.poll(() => host.state.connections).toBe(0);
    });
  }

  it('because it is an ESXi 6.0: source.host-too-old', async () => {
    const { office, host } = await oneHost({ profile: 'esxi-6.0' });
    expect((await failure(open(office, () => host))).code).toBe('source.host-too-old');
  });

  it('a ticket that was used: the next one is tried', async () => {
    const { office, host } = await oneHost();
    const used = host.ticket(office.issue('vm-1', host.host));
    office.redeem(used.sessionId, host.host);
    let asked = 0;
    const { disk } = await open(office, () => host, {
      ticket: () => Promise.resolve((asked += 1) === 1 ? used : host.ticket(office.issue('vm-1', host.host))),
    });
    expect((await readWhole(disk)).equals(content)).toBe(true);
    expect(asked).toBe(2);
  });

  it('connections altogether: source.host-unreachable, with the address', async () => {
    const { office, host } = await oneHost();
    const gone = host.ticket('none');
    await host.close();
    toClose.pop();
    const error = await failure(open(office, () => host, { attempts: 2, ticket: () => Promise.resolve(gone) }));
    expect(error).toMatchObject({ code: 'source.host-unreachable', message: expect.stringContaining(`127.0.0.1:${gone.port}`) as string });
  });

  it('nobody sends disk data in the clear unless that is allowed', async () => {
    const { office, host } = await oneHost();
    host.faults.add({ kind: 'greeting-without', capability: 'SSL Required' });
    const { disk } = await open(office, () => host, { encryption: 'never' });
    expect((await readWhole(disk)).equals(content)).toBe(true);
  });
});

describe('a host that breaks the rules', () => {
  const tampers: readonly Tamper[] = [
    'overlap', 'wrong-base', 'wrong-length', 'beyond', 'short', 'twice', 'unknown-request', 'magic', 'long-payload', 'long-wire', 'empty', 'garbage', 'compression',
  ];
  for (const how of tampers) {
    it(`${how}: every read ends with source.protocol, and no buffer is reported as read`, async () => {
      const { office, host } = await oneHost();
      host.faults.add({ kind: 'tamper', how }, { kind: 'small-fragments', bytes: 65_536 });
      const { disk } = await open(office, () => host);
      const error = await failure(readWhole(disk));
      expect(error.code, error.message).toBe('source.protocol');
      expect((await failure(disk.read(0, Buffer.alloc(512), signal))).code).toBe('source.protocol');
      await expect.poll(() => host.state.connections).toBe(0);
    });
  }

  it('a sector that cannot be read fails its read, tried twice, and no other', async () => {
    const { office, host } = await oneHost();
    host.faults.add({ kind: 'read-status', at: 70_000, status: 5 });
    const { disk } = await open(office, () => host);
    const good = Buffer.alloc(MIB);
    const [bad] = await Promise.all([
      failure(disk.read(0, Buffer.alloc(128 * 1024), signal)),
      disk.read(2 * MIB, good, signal),
    ]);
    expect(bad).toMatchObject({ code: 'source.read-failed', details: { offset: 0 } });
    expect(good.equals(content.subarray(2 * MIB, 3 * MIB))).toBe(true);
  });

  it('an error in place of data fails its read, and no other', async () => {
    const { office, host } = await oneHost();
    host.faults.add({ kind: 'read-error', at: 70_000, text: 'I/O error' });
    const { disk } = await open(office, () => host);
    const good = Buffer.alloc(MIB);
    const [bad] = await Promise.all([failure(disk.read(0, Buffer.alloc(128 * 1024), signal)), disk.read(2 * MIB, good, signal)]);
    expect(bad).toMatchObject({ code: 'source.read-failed', message: expect.stringContaining('I/O error') as string });
    expect(good.equals(content.subarray(2 * MIB, 3 * MIB))).toBe(true);
  });
});

describe('a connection that ends', () => {
  const random = seeded(11);
  const places = Array.from({ length: 6 }, () => 1000 + Math.floor(random() * 0.7 * MIB));
  for (const encryption of ['required', 'never'] as const) {
    it(`within a fragment, again and again (encryption ${encryption}): the disk is read to the end, and only what had not come is asked for again`, async () => {
      const { office, host } = await oneHost();
      for (const afterBytes of places) host.faults.add({ kind: 'cut', afterBytes, times: 1 });
      const { disk, events } = await open(office, () => host, { encryption, compression: 0, depth: 4 });
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
    const { disk, events } = await open(office, () => host, {
      ticket: () =>
        office.issued === 1 || office.issued === 2
          ? (office.issue('vm-1', 'nowhere'), Promise.reject(new CausewayError('source.unreachable', 'vcenter.test: connection refused')))
          : Promise.resolve(host.ticket(office.issue('vm-1', host.host))),
    });
    host.dropAll();
    expect((await readWhole(disk)).equals(content)).toBe(true);
    expect(events.filter(({ kind }) => kind === 'retrying')).toMatchObject([{ reason: { code: 'source.unreachable' } }, { reason: { code: 'source.unreachable' } }]);
  });

  it('because the host falls silent', async () => {
    const { office, host } = await oneHost();
    host.faults.add({ kind: 'silence', afterBytes: MIB + 77, times: 1 });
    const { disk, events } = await open(office, () => host, { timeouts: { ...quick, silenceMs: 500 } });
    expect((await readWhole(disk)).equals(content)).toBe(true);
    expect(events.find(({ kind }) => kind === 'lost')).toMatchObject({ reason: { code: 'source.connection-lost', message: expect.stringContaining('nothing for 500 ms') as string } });
  });

  it('while nobody reads: the next read opens it again', async () => {
    const { office, host } = await oneHost();
    const { disk, events } = await open(office, () => host);
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
    const { disk } = await open(office, () => host, { attempts: 4, slots });
    expect((await failure(readWhole(disk))).code).toBe('source.connection-lost');
    expect(slots.inUse(host.host)).toBe(0);
    expect(office.issued).toBe(4);
  });

  it('and a map that was asked for meanwhile is asked for again', async () => {
    const { office, host } = await oneHost();
    host.faults.add({ kind: 'cut', afterBytes: 264 * 3 + 200, times: 1 });
    const { disk } = await open(office, () => host);
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
    const { disk, events } = await open(office, () => current, { path: () => Promise.resolve(path), depth: 2, compression: 0 });
    const into = Buffer.alloc(content.length);
    const chunk = 256 * 1024;
    const reads: Promise<void>[] = [];
    for (let at = 0; at < into.length; at += chunk) reads.push(disk.read(at, into.subarray(at, Math.min(at + chunk, into.length)), signal));
    await reads[3];
    // Storage moves too: the file has another name from now on.
    office.add(contentDisk(moved, 'vm-1', content));
    path = moved;
    current = second;
    first.dropAll();
    await Promise.all(reads);
    expect(into.equals(content)).toBe(true);
    expect(events.filter(({ kind }) => kind === 'opened').map((event) => ('host' in event ? event.host : ''))).toEqual(['127.0.0.2', '127.0.0.3']);
    expect(second.state.reads.length).toBeGreaterThan(0);
    expect(second.state.reads.every((read) => read.path === moved)).toBe(true);
    expect(Math.min(...second.state.reads.map(({ offset }) => offset))).toBeGreaterThanOrEqual(3 * chunk);
  });

  it('and a disk of another size comes back: source.disk-replaced', async () => {
    const { office, host } = await oneHost();
    const { disk, events } = await open(office, () => host);
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
    const opened = (await open(office, () => host)).disk;
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
        ...(where === 'ticket' ? { ticket: (life: AbortSignal) => new Promise((_resolve, reject) => life.addEventListener('abort', () => reject(life.reason as Error), { once: true })) } : {}),
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
    const hosts = await Promise.all(['127.0.0.2', '127.0.0.3', '127.0.0.4'].map((host) => startHost(office, { host, limits })));
    const slots = new HostSlots({ connections: 4, reads: 6 });
    const wanted = Array.from({ length: 30 }, (_, index) => patternContent(MIB + 512, index + 20));
    wanted.forEach((one, index) => office.add(contentDisk(`[ds] vm-${index}.vmdk`, `vm-${index}`, one)));
    const refused: unknown[] = [];
    const read = await Promise.all(wanted.map(async (_content, index) => {
      const host = hosts[index % 3] as NfcServer;
      const disk = await openNfcDisk({
        ticket: () => Promise.resolve(host.ticket(office.issue(`vm-${index}`, host.host))),
        path: () => Promise.resolve(`[ds] vm-${index}.vmdk`),
        slots,
        timeouts: quick,
        onEvent: (event) => {
          if (event.kind === 'retrying' || event.kind === 'lost') refused.push(event);
        },
      }, signal);
      try {
        return await readWhole(disk, 128 * 1024);
      } finally {
        await disk.close();
      }
    }));
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
