import { createHash } from 'node:crypto';
import type { Disk as ApiDisk } from '@azure/arm-compute';
import type { Vm } from '../../../../../shared/model/vm.ts';
import { volumeKey } from '../../../cloud-resources/replica-volumes.ts';
import { fixedVhdFooter } from '../../../images/vhd-footer.ts';
import type { DestinationRun, DeviceIdentity, Volume, WorkerAccess } from '../../../ports/destination-platform.ts';
import type { WorkerDevice, WorkerSession, WriteTarget } from '../../../ports/write-target.ts';
import { DiskAccess } from '../client/disk-access.ts';
import { parseResourceId } from '../client/resource-id.ts';
import { dataDisksOnly, diskTypeOf } from './disk-types.ts';
import { readEnvironment, type DestinationEnvironment } from './environment.ts';
import { blobPlaceOf, isBlobId } from './page-blobs.ts';
import type { AzureSession } from './session.ts';

/** Stands in the place of a worker's id while disks are written by their addresses. */
export const directWorkerId = 'direct-upload';

const pageBytes = 512;
/** The largest that the service takes in one request. */
const putBytes = 4 * 2 ** 20;
/** Requests of one disk at the same time. */
const mostRequests = 6;

/**
 * Whether new disks of a VM are made for an upload. The cloud takes bytes by an address only once, for disks that were made for that: their first
 * copy. Ultra disks and Premium SSD v2 are not among them; and a VM that needs a worker for one disk has it for all.
 */
export function isUploaded(
  { connection }: AzureSession,
  environment: DestinationEnvironment,
  vm: Pick<Vm, 'disks'>,
): boolean {
  return (
    connection.firstCopy === 'direct_upload' &&
    blobPlaceOf(environment) === undefined &&
    vm.disks.every((disk) => !dataDisksOnly.includes(diskTypeOf(disk, environment)))
  );
}

/** What stands in a worker's place, if all disks of the run still wait for their upload; undefined: a worker is needed. */
export async function directAccess(
  session: AzureSession,
  run: DestinationRun,
  signal: AbortSignal,
): Promise<WorkerAccess | undefined> {
  if (!(await areWaiting(session, run, signal))) return undefined;
  run.note('The disks are uploaded directly, without a worker');
  return {
    workerId: directWorkerId,
    host: new URL(session.profile.resourceManager).hostname,
    sshPort: 0,
    httpsPort: 0,
    username: '',
    privateKeyPem: '',
    open: async () => directSession(session, run),
  };
}

/** Why no disk of a run is attached to anything; undefined: they are. */
export async function directUse(
  session: AzureSession,
  run: DestinationRun,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (blobPlaceOf(readEnvironment(run.environment)) !== undefined)
    return 'the disks are page blobs, which are written to over the network';
  return (await areWaiting(session, run, signal)) ? 'the first copy is uploaded to the disks directly' : undefined;
}

/** Whether all disks of a run still wait for their upload. */
async function areWaiting(session: AzureSession, run: DestinationRun, signal: AbortSignal): Promise<boolean> {
  if (session.connection.firstCopy !== 'direct_upload') return false;
  for (const { id } of run.vm.disks) {
    if (!isWaiting(await diskOf(session, run.ledger.find('volume', volumeKey(id))?.resourceId, signal))) return false;
  }
  return true;
}

export function directIdentity({ id, sizeBytes }: Volume): DeviceIdentity {
  return { kind: 'serial', serial: serialOf(id), sizeBytes };
}

/** Ids begin alike, and a beginning may be all that a device shows of a serial. */
export const serialOf = (id: string): string => createHash('sha256').update(id.toLowerCase()).digest('hex');

/** Made for an upload that has not ended. */
export function isWaiting(disk: Pick<ApiDisk, 'diskState'> | undefined): boolean {
  return disk?.diskState === 'ReadyToUpload' || disk?.diskState === 'ActiveUpload';
}

async function diskOf(
  session: AzureSession,
  id: string | undefined,
  signal: AbortSignal,
): Promise<ApiDisk | undefined> {
  if (id === undefined) return undefined;
  const { group, name } = parseResourceId(id);
  const { disks } = await session.compute();
  return session.find(`read disk ${name}`, (options) => disks.get(group, name, options), signal);
}

const accessTo = (session: AzureSession, id: string): DiskAccess =>
  new DiskAccess(session, { kind: 'disk', ...parseResourceId(id) }, 'Write');

/**
 * Ends the upload of all disks of a run: their addresses end, and they are disks like others from then on. Also for those of an earlier process.
 */
export async function endUploads(
  session: AzureSession,
  run: Pick<DestinationRun, 'ledger'>,
  signal: AbortSignal,
): Promise<void> {
  if (session.connection.firstCopy !== 'direct_upload') return;
  const entries = run.ledger.list({ kind: 'volume', lifetime: 'replica' }).filter(({ state }) => state !== 'removed');
  for (const { resourceId } of entries) if (resourceId !== undefined) await endUpload(session, resourceId, signal);
}

/** A disk that nothing was written to has no address yet; only after one ended it is a disk like others. */
export async function endUpload(session: AzureSession, id: string, signal: AbortSignal): Promise<void> {
  if (isBlobId(id)) return;
  const disk = await diskOf(session, id, signal);
  if (!isWaiting(disk)) return;
  const access = accessTo(session, id);
  if (disk?.diskState === 'ReadyToUpload') await writeFooter(access, disk.diskSizeBytes ?? 0, signal);
  await access.revoke(signal);
}

function directSession(session: AzureSession, run: DestinationRun): WorkerSession {
  const alive = new AbortController();
  const accesses = new Map<string, Promise<DiskAccess>>();
  const opened = (id: string, sizeBytes: number, signal: AbortSignal): Promise<DiskAccess> => {
    const known = accesses.get(id);
    if (known !== undefined) return known;
    const access = accessTo(session, id);
    const made = writeFooter(access, sizeBytes, signal).then(() => access);
    accesses.set(id, made);
    made.catch(() => accesses.delete(id));
    return made;
  };
  const ids = run.vm.disks.flatMap(({ id }) => run.ledger.find('volume', volumeKey(id))?.resourceId ?? []);
  return {
    mechanism: 'HTTPS',
    lost: alive.signal,
    async devices(signal) {
      return Promise.all(
        ids.map(async (id): Promise<WorkerDevice> => ({
          path: id,
          serial: serialOf(id),
          byPath: [],
          sizeBytes: (await diskOf(session, id, signal))?.diskSizeBytes ?? 0,
          inUse: false,
        })),
      );
    },
    open: async ({ path, sizeBytes }, signal) =>
      uploadTarget(await opened(path, sizeBytes, signal), parseResourceId(path).name, sizeBytes),
    // The addresses end with the run, so that verification still has them.
    close: async () => undefined,
  };
}

/** A disk as its upload takes it: whole pages, durable once they are acknowledged. */
export function uploadTarget(access: Pick<DiskAccess, 'use'>, name: string, sizeBytes: number): WriteTarget {
  const turns = gate(mostRequests);
  const put = (offset: number, bytes: Buffer, signal: AbortSignal): Promise<void> =>
    turns(signal, () =>
      access.use(
        `write to disk ${name}`,
        async (blob, options) =>
          void (await blob.uploadPages(bytes, offset, bytes.length, { abortSignal: options.abortSignal })),
        signal,
      ),
    );
  return {
    sizeBytes,
    alignmentBytes: pageBytes,
    async write(offset, bytes, signal) {
      const whole = inPages(bytes);
      const parts = Array.from({ length: Math.ceil(whole.length / putBytes) }, (_, index) => index * putBytes);
      await Promise.all(parts.map((at) => put(offset + at, whole.subarray(at, at + putBytes), signal)));
      return { bytesSent: whole.length };
    },
    zero: (offset, length, signal) =>
      turns(signal, () =>
        access.use(
          `clear pages of disk ${name}`,
          async (blob, options) => {
            await blob.clearPages(offset, Math.ceil(length / pageBytes) * pageBytes, {
              abortSignal: options.abortSignal,
            });
          },
          signal,
        ),
      ),
    flush: async () => undefined,
    async read(offset, into, signal) {
      if (into.length === 0) return;
      const target = Buffer.from(into.buffer, into.byteOffset, into.byteLength);
      await turns(signal, () =>
        access.use(
          `read disk ${name}`,
          async (blob, options) => {
            await blob.downloadToBuffer(target, offset, target.length, {
              abortSignal: options.abortSignal,
              blockSize: putBytes,
              concurrency: 2,
              maxRetryRequestsPerBlock: 0,
            });
          },
          signal,
        ),
      );
    },
    close: async () => undefined,
  };
}

/** Only the end of a disk may be within a page; the rest of that page is behind it. */
function inPages(bytes: Uint8Array): Buffer {
  const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const missing = (pageBytes - (given.length % pageBytes)) % pageBytes;
  return missing === 0 ? given : Buffer.concat([given, Buffer.alloc(missing)]);
}

/** Lets so many through at the same time. */
function gate(most: number): <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T> {
  let busy = 0;
  const waiting: (() => void)[] = [];
  return async (signal, work) => {
    while (busy >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    busy += 1;
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      busy -= 1;
      waiting.shift()?.();
    }
  };
}

/** What an upload ends with. It is not part of the disk. */
async function writeFooter(access: DiskAccess, sizeBytes: number, signal: AbortSignal): Promise<void> {
  await access.use(
    'write the footer of the upload',
    async (blob, options) =>
      void (await blob.uploadPages(fixedVhdFooter(sizeBytes), sizeBytes, pageBytes, {
        abortSignal: options.abortSignal,
      })),
    signal,
  );
}
