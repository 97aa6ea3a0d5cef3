import { afterEach } from 'vitest';
import type { CausewayError } from '../../shared/model/causeway-error.ts';
import type { Extent } from '../../shared/model/extent.ts';
import { HostSlots } from '../../electron/engine/platforms/virtualization-platform/nfc/host-slots.ts';
import {
  openNfcDisk,
  type NfcDisk,
  type NfcDiskOptions,
  type NfcEvent,
} from '../../electron/engine/platforms/virtualization-platform/nfc/nfc-disk.ts';
import {
  startNfcServer,
  type NfcServer,
  type NfcServerOptions,
} from '../rigs/virtualization-platform/nfc-server/nfc-server.ts';
import {
  TicketOffice,
  contentDisk,
  patternContent,
} from '../rigs/virtualization-platform/nfc-server/served-content.ts';

export const MIB = 2 ** 20;
export const PATH = '[ds1] vm/vm-000001.vmdk';
export const signal = new AbortController().signal;
/** Neither a multiple of a block nor of a cylinder. */
export const content = patternContent(5 * MIB + 37 * 512, 3);

export const toClose: (() => Promise<void>)[] = [];
/** Closes after each test what it opened; for the file that calls it. */
export function closeAfterEach(): void {
  afterEach(async () => {
    for (const close of toClose.splice(0).reverse()) await close();
  });
}

export async function startHost(office: TicketOffice, options: Partial<NfcServerOptions> = {}): Promise<NfcServer> {
  const server = await startNfcServer({ host: '127.0.0.1', disks: office, ...options });
  toClose.push(() => server.close());
  return server;
}

/** One host with one disk on it. */
export async function oneHost(
  options: Partial<NfcServerOptions> = {},
): Promise<{ readonly office: TicketOffice; readonly host: NfcServer }> {
  const office = new TicketOffice();
  office.add(contentDisk(PATH, 'vm-1', content));
  return { office, host: await startHost(office, options) };
}

export interface Opened {
  readonly disk: NfcDisk;
  readonly events: NfcEvent[];
}

export const quick = { firstPauseMs: 1, longestPauseMs: 5 };

export function wayTo(office: TicketOffice, host: () => NfcServer, more: Partial<NfcDiskOptions> = {}): NfcDiskOptions {
  return {
    ticket: () => Promise.resolve(host().ticket(office.issue('vm-1', host().host))),
    path: () => Promise.resolve(PATH),
    slots: new HostSlots(),
    timeouts: quick,
    ...more,
  };
}

export async function openDisk(
  office: TicketOffice,
  host: () => NfcServer,
  more: Partial<NfcDiskOptions> = {},
): Promise<Opened> {
  const events: NfcEvent[] = [];
  const disk = await openNfcDisk(wayTo(office, host, { onEvent: (event) => events.push(event), ...more }), signal);
  toClose.push(() => disk.close());
  return { disk, events };
}

/** Reads the whole disk as the pipeline does: chunks, several at once. */
export async function readWhole(disk: NfcDisk, chunk = 768 * 1024): Promise<Buffer> {
  const into = Buffer.alloc(disk.sizeBytes, 0xee);
  const reads: Promise<void>[] = [];
  for (let at = 0; at < into.length; at += chunk)
    reads.push(disk.read(at, into.subarray(at, Math.min(at + chunk, into.length)), signal));
  await Promise.all(reads);
  return into;
}

export async function listed(extents: AsyncIterable<Extent>): Promise<Extent[]> {
  const all: Extent[] = [];
  for await (const extent of extents) all.push(extent);
  return all;
}

export async function failure(action: Promise<unknown>): Promise<CausewayError> {
  const outcome = await action.then(
    () => undefined,
    (error: unknown) => error as CausewayError,
  );
  if (outcome === undefined) throw new Error('it succeeded');
  return outcome;
}
