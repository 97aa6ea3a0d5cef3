// needs: python3
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { closeAll } from '../rigs/closing.ts';
import { startNfcServer, type NfcServer } from '../rigs/virtualization-platform/nfc-server/nfc-server.ts';
import {
  TicketOffice,
  contentDisk,
  patternContent,
} from '../rigs/virtualization-platform/nfc-server/served-content.ts';

/**
 * The stand-in for a host, read by a client that others wrote against real hosts: what both of Causeway's sides could have
 * misunderstood in the same way shows here. The peer's repository is named by `CAUSEWAY_NFC_PEER` and is no part of this one.
 */
const peer = process.env['CAUSEWAY_NFC_PEER'] ?? '';
const PATH = '[ds1] vm/vm-000001.vmdk';
const content = patternContent(5 * 2 ** 20 + 37 * 512, 3);
const script = join(import.meta.dirname, '../rigs/virtualization-platform/nfc-server/read-with-peer.py');

let server: NfcServer | undefined;
afterEach(() =>
  closeAll(
    () => server?.close(),
    () => (server = undefined),
  ),
);

async function start(): Promise<{ readonly host: NfcServer; readonly office: TicketOffice }> {
  const office = new TicketOffice();
  office.add(contentDisk(PATH, 'vm-1', content), contentDisk('[ds1] vm/live.vmdk', 'vm-1', content, { isLive: true }));
  server = await startNfcServer({ host: '127.0.0.1', disks: office });
  return { host: server, office };
}

async function read(
  host: NfcServer,
  office: TicketOffice,
  transport: 'nfc' | 'nfcssl',
  readBytes: number,
  path = PATH,
): Promise<Buffer> {
  const ticket = JSON.stringify(host.ticket(office.issue('vm-1', host.host)));
  const { stdout } = await promisify(execFile)(
    'python3',
    [script, peer, ticket, path, String(content.length), transport, String(readBytes)],
    {
      encoding: 'buffer',
      maxBuffer: 2 * content.length,
    },
  );
  return stdout;
}

describe.skipIf(!existsSync(join(peer, 'openvixdisklib')) || peer === '')("a peer's client", () => {
  for (const transport of ['nfc', 'nfcssl'] as const) {
    for (const readBytes of [66_048, 2 ** 20]) {
      it(`reads the stand-in byte for byte (${transport}, ${readBytes} bytes a read)`, async () => {
        const { host, office } = await start();
        expect((await read(host, office, transport, readBytes)).equals(content)).toBe(true);
        expect(host.state).toMatchObject({ opened: [PATH], violations: [], closedWell: 1 });
        expect(host.state.reads.length).toBe(Math.ceil(content.length / readBytes));
      });
    }
  }

  it('puts fragments that come in any order in their places', async () => {
    const { host, office } = await start();
    host.faults.add({ kind: 'order', order: 'reversed' }, { kind: 'split', bytes: 1009 });
    expect((await read(host, office, 'nfcssl', 2 ** 20)).equals(content)).toBe(true);
  });

  it('is refused the live disk of a running VM, and a second use of a ticket', async () => {
    const { host, office } = await start();
    await expect(read(host, office, 'nfcssl', 2 ** 20, '[ds1] vm/live.vmdk')).rejects.toThrow(/AIO error opId=3/);
    host.faults.add({ kind: 'login-refused', line: '530 Login incorrect' });
    await expect(read(host, office, 'nfcssl', 2 ** 20)).rejects.toThrow(/PROXY failed: 530/);
  });

  it('refuses a host with another certificate than the ticket names', async () => {
    const { host, office } = await start();
    host.faults.add({ kind: 'other-certificate', handshake: 1 });
    await expect(read(host, office, 'nfcssl', 2 ** 20)).rejects.toThrow(/thumbprint mismatch/);
  });
});
