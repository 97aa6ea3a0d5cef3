import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { volumeKey } from '../../../cloud-resources/replica-volumes.ts';
import { fixedVhdFooter } from '../../../images/vhd-footer.ts';
import type { DestinationRun, WorkerAccess } from '../../../ports/destination-platform.ts';
import type { WorkerDevice, WorkerSession } from '../../../ports/write-target.ts';
import type { DiskAccess } from '../client/disk-access.ts';
import { directWorkerId, serialOf, uploadTarget } from './direct-upload.ts';
import { readEnvironment } from './environment.ts';
import { BlobContainer, blobPlaceOf, footerBytes, isBlobId, type BlobPlace } from './page-blobs.ts';
import { placeOf, type AzureSession } from './session.ts';

const idsOf = (run: Pick<DestinationRun, 'vm' | 'ledger'>): readonly string[] =>
  run.vm.disks.flatMap(({ id }) => run.ledger.find('volume', volumeKey(id))?.resourceId ?? []);

/** What stands in a worker's place where the volumes are page blobs, in each execution; undefined: they are managed disks. */
export function blobAccess(session: AzureSession, run: DestinationRun): WorkerAccess | undefined {
  const blobs = blobPlaceOf(readEnvironment(run.environment));
  if (blobs === undefined) return undefined;
  run.note(`The disks are written to page blobs of storage account ${blobs.account}, without a worker`);
  return {
    workerId: directWorkerId,
    host: new URL(session.profile.resourceManager).hostname,
    sshPort: 0,
    httpsPort: 0,
    username: '',
    privateKeyPem: '',
    open: async () => blobSession(session, run, blobs),
  };
}

function blobSession(session: AzureSession, run: DestinationRun, blobs: BlobPlace): WorkerSession {
  const container = new BlobContainer(session, placeOf(session, readEnvironment(run.environment)), blobs);
  const ids = idsOf(run);
  return {
    mechanism: 'HTTPS',
    lost: new AbortController().signal,
    devices: (signal) =>
      Promise.all(
        ids.map(async (id): Promise<WorkerDevice> => ({
          path: id,
          serial: serialOf(id),
          byPath: [],
          sizeBytes: ((await container.facts(id, signal))?.bytes ?? footerBytes) - footerBytes,
          inUse: false,
        })),
      ),
    async open({ path, sizeBytes }, signal) {
      const blob = await container.page(path, signal);
      const access: Pick<DiskAccess, 'use'> = {
        use: (operation, work, within) => session.call(operation, (options) => work(blob, options), within),
      };
      // What makes a VHD of it. It belongs to the format and not to the disk.
      await session.call(
        `write the footer of blob ${blob.name}`,
        (options) => blob.uploadPages(fixedVhdFooter(sizeBytes), sizeBytes, footerBytes, options),
        signal,
      );
      return uploadTarget(access, blob.name, sizeBytes);
    },
    close: async () => undefined,
  };
}

/** Volumes stay what they are: their content would have to be copied, which is what a new replica does. @throws `general.invalid-input` */
export function refuseOtherKind(run: DestinationRun, blobs: BlobPlace | undefined): void {
  for (const { resourceId: id, details } of run.ledger
    .list({ kind: 'volume', lifetime: 'replica' })
    .filter(({ state }) => state !== 'removed')) {
    if (id === undefined) continue;
    const isSame = isBlobId(id)
      ? details['storageAccount'] === blobs?.account && details['storageContainer'] === blobs?.container
      : blobs === undefined;
    if (isSame) continue;
    const now = isBlobId(id)
      ? `page blobs of container ${String(details['storageContainer'])} in storage account ${String(details['storageAccount'])}`
      : 'managed disks';
    throw new CausewayError(
      'general.invalid-input',
      `the disks of this replica are ${now}; they cannot become others. Create another replica for another storage account or container`,
      { details: { parameter: 'storage_account_name', volumeId: id } },
    );
  }
}

/** @throws `general.invalid-input` */
export function refuseAttachment(volumeId: string): void {
  if (!isBlobId(volumeId)) return;
  throw new CausewayError(
    'general.invalid-input',
    'the disks of this replica are page blobs, which cannot be attached to a VM: deploy from snapshots, not in place',
    { details: { volumeId } },
  );
}
