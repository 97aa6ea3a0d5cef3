import { CausewayError, toErrorRecord, type ErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { DestinationRun, WorkerAccess, WorkerRole } from '../ports/destination-platform.ts';
import type { LedgerEntry, LedgerScope, ResourceKind } from '../ports/ledger.ts';
import type { CloudApi, CloudServer, WorkerCloud } from '../cloud-resources/cloud-api.ts';
import { ensureResource, nameOf, type Owned } from '../cloud-resources/ledgered-resource.ts';
import { deleteResource } from '../cloud-resources/resource-deletion.ts';
import { backOffMs } from '../time/back-off.ts';
import { awaitActive } from './server-state.ts';
import { removalRank, waitsForServer } from './stop-worker.ts';
import { createWorkerKeys, keyOf, temporary, type WorkerKeyRing, type WorkerKeys } from './worker-entries.ts';
import { agentPort, sshPort, workerOs } from './worker-ports.ts';
import { linuxWorkerUserData, workerUser } from './worker-user-data.ts';
import {
  createWindowsCertificate,
  createWindowsPassword,
  windowsWorkerUser,
  windowsWorkerUserData,
  winrmPort,
} from './windows-worker-user-data.ts';

/** How often the deletion of a former worker's part is tried before the next worker starts beside it. */
const deletionAttempts = 3;
/** What one server has for itself: it takes it along when it can't be deleted. */
const ownParts: readonly ResourceKind[] = ['volume', 'nic', 'public-ip', 'attachment'];
/** Entries that this process could not delete often enough, by the platform's key ring: they are left to the end of the execution. */
const undeletable = new WeakMap<WorkerKeyRing, Set<string>>();

/**
 * Removes a worker of an interrupted start: its key died with the process that made it, so that it can't be entered. What an
 * interrupted removal of a worker left goes as well: it still holds what the next worker gets, e.g. its network interface. What
 * permanently cannot be removed stays recorded and is reported; the next worker then gets new parts.
 */
export async function dropUnreachableWorker(
  cloud: Pick<CloudApi, 'deleterFor' | 'clock' | 'timing' | 'random'>,
  keyRing: WorkerKeyRing,
  run: Pick<DestinationRun, 'ledger' | 'note'>,
  role: WorkerRole,
  signal: AbortSignal,
): Promise<void> {
  const isUnreachable = ({ entryId, kind, key }: LedgerEntry): boolean =>
    kind === 'server' && key === keyOf(role, 'server') && !keyRing.has(entryId);
  const parts = (): LedgerEntry[] =>
    run.ledger
      .list({ lifetime: 'temporary' })
      .filter((entry) => entry.key.startsWith(keyOf(role, '')) && entry.state !== 'removed');
  const left = parts()
    .filter((entry) => entry.state === 'removing' || isUnreachable(entry))
    .sort((a, b) => removalRank[a.kind] - removalRank[b.kind]);
  const given = undeletable.get(keyRing) ?? new Set();
  undeletable.set(keyRing, given);
  const servers: LedgerEntry[] = [];
  for (const entry of left) {
    if (!given.has(entry.entryId) && !servers.some((server) => waitsForServer(entry, server))) {
      run.note(
        entry.state === 'removing'
          ? `The deletion of a worker's ${entry.kind} was interrupted: finishing it`
          : 'A worker from an interrupted start may exist. Its key is lost, so it is replaced',
        { entry: entry.name },
      );
      const failure = await tryToDelete(cloud, run.ledger, entry, signal);
      if (failure === undefined) continue;
      given.add(entry.entryId);
      run.note(
        `The ${entry.kind} of an earlier worker could not be deleted: ${failure.message}. It stays in the ledger and is tried again at the end; starting another worker`,
        {
          entry: entry.name,
          resourceId: entry.resourceId ?? null,
          code: failure.code,
        },
      );
    }
    if (entry.kind === 'server') servers.push(entry);
  }
  for (const part of parts()) {
    if (ownParts.includes(part.kind) && servers.some((server) => part.createdAt <= server.createdAt))
      run.ledger.setAside(part);
  }
}

/** @returns why it is still there after the last attempt */
async function tryToDelete(
  cloud: Pick<CloudApi, 'deleterFor' | 'clock' | 'timing' | 'random'>,
  ledger: LedgerScope,
  entry: LedgerEntry,
  signal: AbortSignal,
): Promise<ErrorRecord | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await deleteResource(cloud, ledger, entry, signal);
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      const failure = toErrorRecord(error);
      // One that was waited for until the deadline has had its time.
      if (attempt >= deletionAttempts || failure.code === 'cloud.not-ready') return failure;
      await cloud.clock.sleep(backOffMs(cloud.timing.backOff, attempt, cloud.random), signal);
    }
  }
}

export interface WorkerServerOrder {
  readonly run: DestinationRun;
  readonly role: WorkerRole;
  readonly debugPublicKey?: string | undefined;
  /** The server of an entry, by its label. */
  readonly find: (entry: LedgerEntry, signal: AbortSignal) => Promise<CloudServer | undefined>;
  /** @param userData in base64 */
  readonly create: (entry: LedgerEntry, userData: string, signal: AbortSignal) => Promise<CloudServer>;
}

/** A worker that runs, with its keys in the ring. One that failed or was switched off is replaced, one that fails is removed. */
export async function ensureWorkerServer(
  cloud: Omit<WorkerCloud, 'volumes'>,
  keyRing: WorkerKeyRing,
  order: WorkerServerOrder,
  signal: AbortSignal,
): Promise<{ readonly server: CloudServer; readonly keys: WorkerKeys }> {
  const { run, role } = order;
  let owned = await ensureRecord(cloud, keyRing, order, signal);
  if (!owned.fresh && ['failed', 'off', 'gone'].includes(owned.resource.state)) {
    run.note(`Worker ${owned.resource.name} is in status ${owned.resource.status}: replacing it`, {
      serverId: owned.resource.id,
    });
    await deleteResource(cloud, run.ledger, owned.entry, signal);
    owned = await ensureRecord(cloud, keyRing, order, signal);
  }
  try {
    const server = await awaitActive(cloud, owned.resource.id, signal);
    const keys = keyRing.get(owned.entry.entryId);
    if (keys === undefined) throw new CausewayError('general.bug', `worker ${server.name}: its keys are missing`);
    return { server, keys };
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'cloud.operation-failed') {
      run.note(`The ${role} worker did not start: deleting it`, { error: toErrorRecord(error).message });
      await deleteResource(cloud, run.ledger, owned.entry, signal);
    }
    throw error;
  }
}

function ensureRecord(
  cloud: Omit<WorkerCloud, 'volumes'>,
  keyRing: WorkerKeyRing,
  { run, role, debugPublicKey, find, create }: WorkerServerOrder,
  signal: AbortSignal,
): Promise<Owned<CloudServer>> {
  return ensureResource<CloudServer>(
    cloud,
    run.ledger,
    temporary('server', role, 'server', cloud.entryDetails),
    {
      find,
      async get(id, _entry, s) {
        const server = await cloud.servers.get(id, s);
        return server?.state === 'gone' ? undefined : server;
      },
      async create(entry, s) {
        // Kept per entry, so that a creation whose answer was lost, and that is then found, is opened by the same keys.
        const keys = keyRing.get(entry.entryId) ?? {
          ...createWorkerKeys(nameOf(entry)),
          ...(workerOs(role) === 'windows'
            ? { windows: { password: createWindowsPassword(), certificate: await createWindowsCertificate() } }
            : {}),
        };
        keyRing.set(entry.entryId, keys);
        const userData =
          keys.windows !== undefined
            ? windowsWorkerUserData(keys.windows.password, keys.windows.certificate)
            : linuxWorkerUserData({ account: keys.account, host: keys.host, debugPublicKey });
        return create(entry, Buffer.from(userData).toString('base64'), s);
      },
    },
    signal,
  );
}

/** @param reached where a port of the worker is reached from here */
export function workerAccess(
  worker: { readonly server: CloudServer; readonly keys: WorkerKeys },
  reached: (port: number) => { readonly host: string; readonly port: number },
): WorkerAccess {
  const { server, keys } = worker;
  const { windows } = keys;
  return {
    workerId: server.id,
    host: reached(sshPort).host,
    sshPort: reached(sshPort).port,
    httpsPort: reached(agentPort).port,
    username: windows !== undefined ? windowsWorkerUser : workerUser,
    privateKeyPem: keys.account.privateKeyPem,
    ...(windows !== undefined
      ? {
          winrm: {
            port: reached(winrmPort).port,
            password: windows.password,
            certificateSha256: windows.certificate.fingerprint,
          },
        }
      : { hostKey: keys.host.publicKey }),
  };
}
