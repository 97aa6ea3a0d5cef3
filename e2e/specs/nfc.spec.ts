import { describe, expect, it } from 'vitest';
import type { Extent } from '../../shared/model/extent.ts';
import { HostSlots } from '../../electron/engine/platforms/virtualization-platform/nfc/host-slots.ts';
import {
  openNfcDisk,
  type NfcDiskOptions,
} from '../../electron/engine/platforms/virtualization-platform/nfc/nfc-disk.ts';
import type { Tamper } from '../rigs/virtualization-platform/nfc-server/faults.ts';
import type { NfcServer } from '../rigs/virtualization-platform/nfc-server/nfc-server.ts';
import type { TicketOffice } from '../rigs/virtualization-platform/nfc-server/served-content.ts';
import { contentDisk, extentsOf, patternContent } from '../rigs/virtualization-platform/nfc-server/served-content.ts';
import {
  MIB,
  PATH,
  closeAfterEach,
  content,
  failure,
  listed,
  oneHost,
  openDisk,
  readWhole,
  signal,
  toClose,
  wayTo,
} from '../conformance/nfc-disks.ts';

closeAfterEach();

describe('reading a disk from a host', () => {
  for (const profile of ['esxi-8', 'esxi-7'] as const) {
    for (const encryption of ['required', 'preferred', 'never'] as const) {
      it(`reads every byte (${profile}, encryption ${encryption})`, async () => {
        const { office, host } = await oneHost({ profile });
        const { disk, events } = await openDisk(office, () => host, { encryption });
        expect(disk.sizeBytes).toBe(content.length);
        expect((await readWhole(disk)).equals(content)).toBe(true);
        expect(events).toMatchObject([
          {
            kind: 'opened',
            host: '127.0.0.1',
            version: profile === 'esxi-8' ? 11 : 9,
            isEncrypted: encryption !== 'never',
          },
        ]);
        expect(host.state.reads.every(({ compression }) => compression === 3)).toBe(true);
        await disk.close();
        await expect.poll(() => host.state.closedWell).toBe(1);
        expect(host.state.violations).toEqual([]);
      });
    }
  }

  for (const compression of [0, 1, 2, 3] as const) {
    it(`reads every byte with compression ${compression}`, async () => {
      const { office, host } = await oneHost();
      const { disk } = await openDisk(office, () => host, { compression });
      expect((await readWhole(disk)).equals(content)).toBe(true);
      expect(host.state.reads.every((read) => read.compression === compression)).toBe(true);
      if (compression === 0) expect(disk.wireBytes).toBe(content.length);
      else expect(disk.wireBytes).toBeLessThan(content.length * 0.8);
    });
  }

  it('lists what is allocated, from any place, and the tail without asking', async () => {
    const { office, host } = await oneHost();
    const { disk } = await openDisk(office, () => host);
    const all = await listed(disk.allocated(signal, 0));
    const expected = extentsOf(content);
    const tail = content.length - (content.length % 65_536);
    const dataBytes = (extents: readonly Extent[]): number =>
      extents.filter(({ kind }) => kind === 'data').reduce((sum, { length }) => sum + length, 0);
    expect(all.at(-1)?.kind).toBe('data');
    expect(all.reduce((end, extent) => (expect(extent.offset).toBe(end), end + extent.length), 0)).toBe(content.length);
    expect(
      dataBytes(
        all.map((extent) => ({ ...extent, length: Math.min(extent.length, Math.max(0, tail - extent.offset)) })),
      ),
    ).toBe(
      dataBytes(
        expected.map((extent) => ({ ...extent, length: Math.min(extent.length, Math.max(0, tail - extent.offset)) })),
      ),
    );
    const from = 3 * 65_536 + 1024;
    expect((await listed(disk.allocated(signal, from)))[0]?.offset).toBe(from);
    expect(await disk.descriptor('adapterType', signal)).toBe('lsilogic');
    expect(await disk.descriptor('nothing', signal)).toBeUndefined();
    expect(host.state.violations).toEqual([]);
  });

  it('reads ranges that are no whole sectors', async () => {
    const { office, host } = await oneHost();
    const { disk } = await openDisk(office, () => host);
    for (const [offset, length] of [
      [1, 1],
      [511, 2],
      [65_535, 70_001],
      [content.length - 3, 3],
    ] as const) {
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
      const { disk } = await openDisk(office, () => host, { encryption: 'never' });
      expect((await readWhole(disk, 4096)).equals(small)).toBe(true);
      expect((await listed(disk.allocated(signal, 0))).length).toBeGreaterThan(0);
    });
  }

  for (const order of ['reversed', 'shuffled'] as const) {
    for (const compression of [0, 3] as const) {
      it(`fragments ${order}, mixed over all requests, compression ${compression}`, async () => {
        const { office, host } = await oneHost();
        host.faults.add({ kind: 'order', order }, { kind: 'small-fragments', bytes: 24 * 512 });
        const { disk } = await openDisk(office, () => host, { compression });
        expect((await readWhole(disk, 2 * MIB)).equals(content)).toBe(true);
        expect(host.state.mostReads).toBeGreaterThan(1);
      });
    }
  }

  for (const claims of [true, false]) {
    it(`raw fragments where compression was asked for, ${claims ? 'said to be compressed' : 'said to be raw'}`, async () => {
      const { office, host } = await oneHost();
      host.faults.add({ kind: 'raw', claims });
      const { disk } = await openDisk(office, () => host, { compression: 2 });
      expect((await readWhole(disk)).equals(content)).toBe(true);
    });
  }

  it('without SHA-256 in the greeting: neither the line nor the message about it', async () => {
    const { office, host } = await oneHost();
    host.faults.add({ kind: 'greeting-without', capability: 'SHA256 supported' });
    const { disk } = await openDisk(office, () => host);
    expect((await readWhole(disk)).equals(content)).toBe(true);
    expect(host.state.violations).toEqual([]);
  });

  it('that ends the session at the token: the next attempt leaves it out', async () => {
    const { office, host } = await oneHost();
    host.faults.add({ kind: 'no-token-message' });
    const { disk } = await openDisk(office, () => host);
    expect((await readWhole(disk)).equals(content)).toBe(true);
    expect(host.state.violations).toEqual(['message 43 where 33 was due']);
  });

  it('without a map of its blocks: everything may hold data, and reading works', async () => {
    const { office, host } = await oneHost();
    host.faults.add({ kind: 'no-block-map' });
    const { disk } = await openDisk(office, () => host);
    expect(await listed(disk.allocated(signal, 0))).toEqual([{ offset: 0, length: content.length, kind: 'data' }]);
    expect((await readWhole(disk)).equals(content)).toBe(true);
  });

  it('that refuses large buffers gets smaller ones', async () => {
    const { office, host } = await oneHost({ limits: { largestBuffer: 256 * 1024 } });
    const { disk, events } = await openDisk(office, () => host);
    expect((await readWhole(disk)).equals(content)).toBe(true);
    expect(events.at(-1)).toMatchObject({ kind: 'opened', bufferBytes: 256 * 1024 });
  });

  it('whose memory is used up is asked again, until others have left', async () => {
    const { office, host } = await oneHost();
    host.faults.add({
      kind: 'session-error',
      code: 5,
      text: 'Failed to allocate the requested 4194304 bytes',
      times: 3,
    });
    const { disk, events } = await openDisk(office, () => host);
    expect(events.filter(({ kind }) => kind === 'retrying').length).toBe(2);
    expect((await readWhole(disk)).equals(content)).toBe(true);
    const error = await (async () => {
      host.faults.add({ kind: 'session-error', code: 5, text: 'Failed to allocate the requested 65536 bytes' });
      return failure(openDisk(office, () => host, { attempts: 3 }));
    })();
    expect(error).toMatchObject({ code: 'source.host-busy', message: expect.stringContaining('65536') as string });
  });

  it('that does not know the compression is asked without', async () => {
    const { office, host } = await oneHost();
    host.faults.add({ kind: 'compression-error' });
    const { disk } = await openDisk(office, () => host);
    expect((await readWhole(disk)).equals(content)).toBe(true);
    expect(host.state.reads.at(-1)?.compression).toBe(0);
  });

  it('behind a slow link is asked for stronger compression as well, in turn with the usual one', async () => {
    const { office, host } = await oneHost();
    host.faults.add({ kind: 'slow-link', bytesPerSecond: 12 * MIB });
    const { disk } = await openDisk(office, () => host);
    const asked = (): Set<number> => new Set(host.state.reads.map(({ compression }) => compression));
    // Several whole reads at a time, so that the link is never idle.
    await Promise.all(
      Array.from({ length: 3 }, async () => {
        for (let round = 0; round < 100 && !asked().has(2); round += 1)
          expect((await readWhole(disk)).equals(content)).toBe(true);
      }),
    );
    expect(asked()).toEqual(new Set([2, 3]));
    expect((await readWhole(disk)).equals(content)).toBe(true);
  });
});

describe('a host that refuses', () => {
  const cases: readonly (readonly [
    string,
    (host: NfcServer, office: TicketOffice) => Partial<NfcDiskOptions> | undefined,
    string,
  ])[] = [
    [
      'another certificate at the first handshake',
      (host) => void host.faults.add({ kind: 'other-certificate', handshake: 1 }),
      'source.host-certificate-mismatch',
    ],
    [
      'another certificate at the second handshake',
      (host) => void host.faults.add({ kind: 'other-certificate', handshake: 2 }),
      'source.host-certificate-mismatch',
    ],
    [
      'another SHA-256 than the certificate has',
      (host) => void host.faults.add({ kind: 'wrong-sha2' }),
      'source.host-certificate-mismatch',
    ],
    [
      'no TLS for data',
      (host) => void host.faults.add({ kind: 'greeting-without', capability: 'NFCSSL supported' }),
      'source.host-encryption-missing',
    ],
    [
      'no TLS at all',
      (host) => void host.faults.add({ kind: 'greeting-without', capability: 'SSL Required' }),
      'source.host-encryption-missing',
    ],
    [
      'no TLS for the login, where data may come in the clear',
      (host) => {
        host.faults.add({ kind: 'greeting-without', capability: 'SSL Required' });
        return { encryption: 'preferred' };
      },
      'source.host-encryption-missing',
    ],
    [
      'the login',
      (host) => void host.faults.add({ kind: 'login-refused', line: '530 Login incorrect' }),
      'source.data-session-refused',
    ],
    [
      'a disk of another VM',
      (host, office) => ({ ticket: () => Promise.resolve(host.ticket(office.issue('vm-2', host.host))) }),
      'source.disk-access-denied',
    ],
    [
      'a disk that is not there',
      () => ({ path: () => Promise.resolve('[ds1] vm/none.vmdk') }),
      'source.disk-not-found',
    ],
    [
      'the live disk of a running VM',
      (_host, office) => {
        office.add(contentDisk('[ds1] vm/live.vmdk', 'vm-1', content, { isLive: true }));
        return { path: () => Promise.resolve('[ds1] vm/live.vmdk') };
      },
      'source.disk-locked',
    ],
    [
      'a locked disk, with zeros as the usual reply behind it',
      (host) =>
        void host.faults.add({ kind: 'open-error', code: 2, text: 'DiskLib error 16392: Failed to lock the file' }),
      'source.disk-locked',
    ],
    [
      'the session, with an error and its text',
      (host) => void host.faults.add({ kind: 'classic-refused', type: 54, error: 'not today' }),
      'source.data-session-refused',
    ],
  ];
  for (const [name, prepare, code] of cases) {
    it(`${name}: ${code}`, async () => {
      const { office, host } = await oneHost();
      const more = prepare(host, office) ?? {};
      const slots = new HostSlots();
      const error = await failure(
        openNfcDisk(
          wayTo(office, () => host, { attempts: 3, slots, ...more }),
          signal,
        ),
      );
      expect(error.code, error.message).toBe(code);
      expect(error.message.length).toBeGreaterThan(20);
      expect(slots.inUse(host.host)).toBe(0);
      await expect.poll(() => host.state.connections).toBe(0);
    });
  }

  it('because it is an ESXi 6.0: source.host-too-old', async () => {
    const { office, host } = await oneHost({ profile: 'esxi-6.0' });
    expect((await failure(openDisk(office, () => host))).code).toBe('source.host-too-old');
  });

  it('a ticket that was used: the next one is tried', async () => {
    const { office, host } = await oneHost();
    const used = host.ticket(office.issue('vm-1', host.host));
    office.redeem(used.sessionId, host.host);
    let asked = 0;
    const { disk } = await openDisk(office, () => host, {
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
    const error = await failure(openDisk(office, () => host, { attempts: 2, ticket: () => Promise.resolve(gone) }));
    expect(error).toMatchObject({
      code: 'source.host-unreachable',
      message: expect.stringContaining(`127.0.0.1:${gone.port}`) as string,
    });
  });

  it('nobody sends disk data in the clear unless that is allowed', async () => {
    const { office, host } = await oneHost();
    host.faults.add({ kind: 'greeting-without', capability: 'SSL Required' });
    const { disk } = await openDisk(office, () => host, { encryption: 'never' });
    expect((await readWhole(disk)).equals(content)).toBe(true);
  });

  it('encryption that is preferred is taken where it is offered, also when only the greeting lacks it', async () => {
    const { office, host } = await oneHost();
    host.faults.add({ kind: 'greeting-without', capability: 'NFCSSL supported' });
    const inClear = await openDisk(office, () => host, { encryption: 'preferred' });
    expect((await readWhole(inClear.disk)).equals(content)).toBe(true);
    expect(inClear.events).toMatchObject([{ kind: 'opened', isEncrypted: false }]);
    host.faults.add({ kind: 'full-banner' });
    const encrypted = await openDisk(office, () => host, { encryption: 'preferred' });
    expect((await readWhole(encrypted.disk)).equals(content)).toBe(true);
    expect(encrypted.events).toMatchObject([{ kind: 'opened', isEncrypted: true }]);
  });
});

describe('a host that breaks the rules', () => {
  const tampers: readonly Tamper[] = [
    'overlap',
    'wrong-base',
    'wrong-length',
    'beyond',
    'short',
    'twice',
    'unknown-request',
    'magic',
    'long-payload',
    'long-wire',
    'empty',
    'garbage',
    'compression',
  ];
  for (const how of tampers) {
    it(`${how}: every read ends with source.protocol, and no buffer is reported as read`, async () => {
      const { office, host } = await oneHost();
      host.faults.add({ kind: 'tamper', how }, { kind: 'small-fragments', bytes: 65_536 });
      const { disk } = await openDisk(office, () => host);
      const error = await failure(readWhole(disk));
      expect(error.code, error.message).toBe('source.protocol');
      expect((await failure(disk.read(0, Buffer.alloc(512), signal))).code).toBe('source.protocol');
      await expect.poll(() => host.state.connections).toBe(0);
    });
  }

  it('a sector that cannot be read fails its read, tried twice, and no other', async () => {
    const { office, host } = await oneHost();
    host.faults.add({ kind: 'read-status', at: 70_000, status: 5 });
    const { disk } = await openDisk(office, () => host);
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
    const { disk } = await openDisk(office, () => host);
    const good = Buffer.alloc(MIB);
    const [bad] = await Promise.all([
      failure(disk.read(0, Buffer.alloc(128 * 1024), signal)),
      disk.read(2 * MIB, good, signal),
    ]);
    expect(bad).toMatchObject({ code: 'source.read-failed', message: expect.stringContaining('I/O error') as string });
    expect(good.equals(content.subarray(2 * MIB, 3 * MIB))).toBe(true);
  });
});
