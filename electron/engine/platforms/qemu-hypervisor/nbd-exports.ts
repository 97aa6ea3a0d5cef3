import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import type { QemuHypervisorConnection } from '../../../../shared/plugins/qemu-hypervisor/connection.ts';
import { unixAddress, type NbdAddress, type NbdTls } from '../../nbd/address.ts';
import { NbdClient } from '../../nbd/nbd-client.ts';
import type { QmpCarrier } from '../../qmp/qmp-carrier.ts';
import { QmpError } from '../../qmp/qmp-error.ts';
import type { HypervisorHost } from './hypervisor-host.ts';
import { waitForAnswer } from './wait-for-answer.ts';
import { objectsOf, textAt } from './qmp-values.ts';

/** Where QEMU's own NBD server listens for us. */
export interface NbdServerPlan {
  readonly address: NbdAddress;
  /** Folder with the credentials of QEMU, and of this client. */
  readonly tls?: { readonly serverFolder: string; readonly clientFolder: string };
}

const TLS_OBJECT = 'cwy-nbd-tls';
/** Room for a path in a Unix socket address on Linux, without the closing zero. */
const MAX_SOCKET_PATH = 107;

/** @throws CausewayError general.invalid-input */
export function planNbdServer(
  connection: QemuHypervisorConnection,
  machine: HypervisorHost,
  scratchFolder: string,
  key: string,
): NbdServerPlan {
  if (connection.nbd_listen === undefined) {
    const path = posix.join(scratchFolder, `causeway-${key}.nbd`);
    if (Buffer.byteLength(path) > MAX_SOCKET_PATH) {
      throw new CausewayError(
        'general.invalid-input',
        `the scratch folder’s path is too long for a socket in it: ${path}`,
      );
    }
    return { address: unixAddress(machine.socket(path)) };
  }
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(connection.nbd_listen);
  const host = match?.[1] ?? match?.[2];
  const { nbd_tls_server_credentials: serverFolder, nbd_tls_client_credentials: clientFolder } = connection;
  if (host === undefined)
    throw new CausewayError('general.invalid-input', `nbd_listen is not host:port: ${connection.nbd_listen}`);
  if (serverFolder === undefined || clientFolder === undefined) {
    throw new CausewayError(
      'general.invalid-input',
      'an export over TCP needs nbd_tls_server_credentials and nbd_tls_client_credentials',
    );
  }
  return { address: { kind: 'tcp', host, port: Number(match?.[3]) }, tls: { serverFolder, clientFolder } };
}

/** Starts QEMU's NBD server, or finds it running at our address. */
export async function ensureNbdServer(qmp: QmpCarrier, plan: NbdServerPlan, signal: AbortSignal): Promise<void> {
  if (plan.tls !== undefined) await ensureTlsObject(qmp, plan.tls.serverFolder, signal);
  const { address } = plan;
  const addr: JsonObject =
    address.kind === 'tcp'
      ? { type: 'inet', data: { host: address.host, port: String(address.port) } }
      : { type: 'unix', data: { path: address.kind === 'unix' ? address.path : address.socket.path } };
  try {
    await qmp.execute(
      'nbd-server-start',
      { addr, ...(plan.tls === undefined ? {} : { 'tls-creds': TLS_OBJECT }) },
      signal,
    );
  } catch (error) {
    if (!(error instanceof QmpError)) throw error;
    // The server may already run for another snapshot. It is the expected one only if it responds at the expected address.
    const tls = await clientTls(plan);
    const isOurs = await NbdClient.listExports({ address, ...(tls === undefined ? {} : { tls }) }, signal).then(
      () => true,
      () => false,
    );
    if (!isOurs) throw error;
  }
}

export async function addExport(
  qmp: QmpCarrier,
  id: string,
  node: string,
  bitmap: { readonly node?: string; readonly name: string } | undefined,
  signal: AbortSignal,
): Promise<void> {
  const named =
    bitmap === undefined ? [] : [bitmap.node === undefined ? bitmap.name : { node: bitmap.node, name: bitmap.name }];
  await qmp.execute(
    'block-export-add',
    { id, type: 'nbd', 'node-name': node, name: id, writable: false, bitmaps: named },
    signal,
  );
}

/** Ends exports and the connections to them, and resolves with how many there were. Those that are not there are done. */
export async function removeExports(qmp: QmpCarrier, ids: readonly string[], signal: AbortSignal): Promise<number> {
  const left = async () => (await exportIds(qmp, signal)).filter((id) => ids.includes(id));
  const found = await left();
  for (const id of found) {
    await qmp.execute('block-export-del', { id, mode: 'hard' }, signal).catch(async (error: unknown) => {
      if (!(error instanceof QmpError) || (await exportIds(qmp, signal)).includes(id)) throw error;
    });
  }
  await waitForAnswer(
    'closing the exports',
    async () => ((await left()).length === 0 ? true : undefined),
    { deadlineMs: 30_000, longestPauseMs: 250 },
    signal,
  );
  return found.length;
}

/** Stops the NBD server when it has no exports left. */
export async function stopUnusedNbdServer(qmp: QmpCarrier, signal: AbortSignal): Promise<void> {
  if ((await exportIds(qmp, signal)).length > 0) return;
  await qmp.execute('nbd-server-stop', {}, signal).catch((error: unknown) => {
    // It does not run.
    if (!(error instanceof QmpError)) throw error;
  });
}

export async function exportIds(qmp: QmpCarrier, signal: AbortSignal): Promise<readonly string[]> {
  return objectsOf(await qmp.execute('query-block-exports', {}, signal)).flatMap((entry) => textAt(entry, 'id') ?? []);
}

/** Our side of the TLS connection, from the credentials folder. @throws CausewayError general.invalid-input */
export async function clientTls(plan: NbdServerPlan): Promise<NbdTls | undefined> {
  if (plan.tls === undefined) return undefined;
  const read = (name: string) =>
    readFile(posix.join(plan.tls?.clientFolder ?? '', name), 'utf8').catch((error: unknown) => {
      throw new CausewayError('general.invalid-input', `the TLS credentials lack ${name}`, { cause: error });
    });
  const [caPem, clientCertificatePem, clientKeyPem] = await Promise.all(
    ['ca-cert.pem', 'client-cert.pem', 'client-key.pem'].map(read),
  );
  return {
    ...(caPem === undefined ? {} : { caPem }),
    ...(clientCertificatePem === undefined ? {} : { clientCertificatePem }),
    ...(clientKeyPem === undefined ? {} : { clientKeyPem }),
  };
}

async function ensureTlsObject(qmp: QmpCarrier, dir: string, signal: AbortSignal): Promise<void> {
  const objects = objectsOf(await qmp.execute('qom-list', { path: '/objects' }, signal));
  if (objects.some((entry) => textAt(entry, 'name') === TLS_OBJECT)) return;
  await qmp.execute(
    'object-add',
    { 'qom-type': 'tls-creds-x509', id: TLS_OBJECT, dir, endpoint: 'server', 'verify-peer': true },
    signal,
  );
}
