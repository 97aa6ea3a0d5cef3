import { afterEach, describe, expect, it } from 'vitest';
import type { CausewayError } from '../../shared/model/causeway-error.ts';
import type { Extent } from '../../shared/model/extent.ts';
import { HostSlots } from '../../electron/engine/platforms/virtualization-platform/nfc/host-slots.ts';
import { openNfcDisk, type NfcDisk, type NfcDiskOptions, type NfcEvent } from '../../electron/engine/platforms/virtualization-platform/nfc/nfc-disk.ts';
import { startNfcServer, type NfcServer, type NfcServerOptions } from '../rigs/virtualization-platform/nfc-server/nfc-server.ts';
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
