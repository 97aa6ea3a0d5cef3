import type { ContainerClient, PageBlobClient } from '@azure/storage-blob';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type {
  CloudCalls,
  CloudSnapshot,
  CloudVolume,
  NewCloudVolume,
  SnapshotStore,
  VolumeStore,
} from '../../../cloud-resources/cloud-api.ts';
import { hasLabels, labelKeys, labelValue, type Labels } from '../../../cloud-resources/labels.ts';
import { isStatus } from '../../../http/http-error.ts';
import { resourceId } from '../client/resource-id.ts';
import type { DiskRules } from './cloud-calls.ts';
import { diskTypeOf } from './disk-types.ts';
import type { DestinationEnvironment } from './environment.ts';
import type { AzureSession, Place } from './session.ts';

/** Where the volumes of a replica are page blobs. */
export interface BlobPlace {
  readonly account: string;
  readonly container: string;
}

/** What the vendor's own tools call the container of disks. */
export const usualContainer = 'vhds';
const gib = 2 ** 30;
export const footerBytes = 512;
/** The service takes page blobs of up to 8 TiB, the footer of the VHD included. */
export const largestBlobGib = 8191;
/** Kinds of storage accounts without page blobs. */
const kindsWithout: readonly string[] = ['BlockBlobStorage', 'BlobStorage', 'FileStorage'];

/** Undefined: the replica's volumes are managed disks. */
export function blobPlaceOf({
  storage_account_name: account,
  storage_container_name: container,
}: Pick<DestinationEnvironment, 'storage_account_name' | 'storage_container_name'>): BlobPlace | undefined {
  return account === undefined || account.trim() === ''
    ? undefined
    : { account, container: container ?? usualContainer };
}

/** The ids of page blobs are their addresses. */
export const isBlobId = (id: string): boolean => id.startsWith('https://');

export const accountIdOf = (
  { connection }: AzureSession,
  { group }: Pick<Place, 'group'>,
  { account }: BlobPlace,
): string => resourceId(connection.subscriptionId, group, 'Microsoft.Storage/storageAccounts', account);

export interface StorageAccountFacts {
  readonly endpoint: string;
  readonly location: string;
  /** Why it cannot hold disks, in one sentence; undefined: it can. */
  readonly problem: string | undefined;
}

/** Undefined: the resource group has no such account. A region is given where it has to be in that one. */
export async function readAccount(
  session: AzureSession,
  { group, location: wanted }: { readonly group: string; readonly location?: string },
  { account }: BlobPlace,
  signal: AbortSignal,
): Promise<StorageAccountFacts | undefined> {
  const { storageAccounts } = await session.storage();
  const found = await session.find(
    `read storage account ${account}`,
    (options) => storageAccounts.getProperties(group, account, options),
    signal,
  );
  if (found === undefined) return undefined;
  const { location, kind = '', isHnsEnabled, primaryEndpoints } = found;
  const problem = kindsWithout.includes(kind)
    ? `storage account ${account} is of kind ${kind}, which has no page blobs`
    : isHnsEnabled === true
      ? `storage account ${account} has a hierarchical namespace, which has no page blobs`
      : // Disks are made of blobs of their own region.
        wanted !== undefined && location !== wanted
        ? `storage account ${account} is in ${location}, and the disks are made in ${wanted}`
        : undefined;
  return {
    endpoint: primaryEndpoints?.blob ?? `https://${account}.blob.${session.profile.storageSuffix}/`,
    location,
    problem,
  };
}

/** Metadata has names as of variables. */
export const toMetadata = (labels: Labels): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([key, value]) => [key.replaceAll('-', '_'), value]));
export const fromMetadata = (metadata: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key.replaceAll('_', '-'), value]));

/** A blob, or a snapshot of one. */
interface Listed {
  readonly name: string;
  readonly bytes: number;
  readonly labels: Record<string, string>;
  readonly blob: PageBlobClient;
}

/** What is said of a blob itself. */
interface BlobFacts extends Listed {
  /** Of one that was made by copying. */
  readonly copy: { readonly id: string; readonly status: string; readonly description: string } | undefined;
}

/** The page blobs of one container, each the VHD of a disk: its bytes, and a footer behind them. */
export class BlobContainer {
  readonly #session: AzureSession;
  readonly #place: Place;
  readonly #blobs: BlobPlace;
  #client: Promise<ContainerClient | undefined> | undefined;

  constructor(session: AzureSession, place: Place, blobs: BlobPlace) {
    this.#session = session;
    this.#place = place;
    this.#blobs = blobs;
  }

  /** @throws `cloud.name-unknown` when there is no such account */
  async page(id: string, signal: AbortSignal): Promise<PageBlobClient> {
    const container = await this.#demand(signal);
    const found = blobIn(container, id);
    if (found === undefined)
      throw new CausewayError(
        'general.invalid-input',
        `${new URL(id).pathname} is not in container ${this.#blobs.container} of storage account ${this.#blobs.account}`,
      );
    return found;
  }

  /** Undefined: the account is gone. */
  #open(signal: AbortSignal): Promise<ContainerClient | undefined> {
    this.#client ??= readAccount(this.#session, this.#place, this.#blobs, signal)
      .then((account) =>
        account === undefined ? undefined : this.#session.blobContainer(account.endpoint, this.#blobs.container),
      )
      .catch((error: unknown) => {
        this.#client = undefined;
        throw error;
      });
    return this.#client;
  }

  async #demand(signal: AbortSignal): Promise<ContainerClient> {
    const container = await this.#open(signal);
    if (container !== undefined) return container;
    this.#client = undefined;
    throw new CausewayError(
      'cloud.name-unknown',
      `no storage account "${this.#blobs.account}" in resource group ${this.#place.group}`,
      { details: { parameter: 'storage_account_name', name: this.#blobs.account } },
    );
  }

  async items(labels: Labels, isSnapshot: boolean, signal: AbortSignal): Promise<readonly Listed[]> {
    const container = await this.#open(signal);
    if (container === undefined) return [];
    try {
      const items = await this.#session.list(
        `list blobs of ${this.#blobs.container}`,
        (options) => container.listBlobsFlat({ ...options, includeMetadata: true, includeSnapshots: isSnapshot }),
        signal,
      );
      return items
        .filter(({ snapshot = '' }) => (snapshot !== '') === isSnapshot)
        .map(({ name, snapshot = '', properties, metadata }) => ({
          name,
          bytes: properties.contentLength ?? 0,
          labels: fromMetadata(metadata),
          blob: isSnapshot
            ? container.getPageBlobClient(name).withSnapshot(snapshot)
            : container.getPageBlobClient(name),
        }))
        .filter((each) => hasLabels(each, labels));
    } catch (error) {
      if (isStatus(error, 404)) return [];
      throw error;
    }
  }

  /** Undefined: there is none, or it is in another container. */
  async facts(id: string, signal: AbortSignal): Promise<BlobFacts | undefined> {
    const container = await this.#open(signal);
    const blob = container === undefined ? undefined : blobIn(container, id);
    if (blob === undefined) return undefined;
    const found = await this.#session.find(`read blob ${blob.name}`, (options) => blob.getProperties(options), signal);
    if (found === undefined) return undefined;
    const { contentLength = 0, metadata, copyId, copyStatus, copyStatusDescription: description = '' } = found;
    const copy =
      copyId === undefined || copyStatus === undefined ? undefined : { id: copyId, status: copyStatus, description };
    return { name: blob.name, bytes: contentLength, labels: fromMetadata(metadata), blob, copy };
  }

  /** A blank one. */
  create({ name, sizeGib, labels }: NewCloudVolume, signal: AbortSignal): Promise<string> {
    return this.#make(
      'create',
      name,
      labels,
      (blob, options) => blob.create(sizeGib * gib + footerBytes, options),
      signal,
    );
  }

  /** One with what is at a signed address, which the cloud copies; `facts` tells how far that is. */
  copy(name: string, from: string, labels: Labels, signal: AbortSignal): Promise<string> {
    return this.#make(
      'copy a snapshot to',
      name,
      labels,
      (blob, options) => blob.beginCopyFromURL(from, options),
      signal,
    );
  }

  /** The container is made where there is none; a blob of this name with these labels is what a request before has made. */
  async #make(
    what: string,
    name: string,
    labels: Labels,
    work: (
      blob: PageBlobClient,
      options: {
        readonly abortSignal: AbortSignal;
        metadata: Record<string, string>;
        conditions: { ifNoneMatch: string };
      },
    ) => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<string> {
    const container = await this.#demand(signal);
    const blob = container.getPageBlobClient(`${name}.vhd`);
    await this.#session.call(
      `create container ${this.#blobs.container}`,
      (options) => container.createIfNotExists(options),
      signal,
    );
    try {
      await this.#session.call(
        `${what} blob ${blob.name}`,
        (options) => work(blob, { ...options, metadata: toMetadata(labels), conditions: { ifNoneMatch: '*' } }),
        signal,
      );
    } catch (error) {
      const before = isStatus(error, 409, 412) ? await this.facts(blob.url, signal) : undefined;
      if (before === undefined || !hasLabels(before, { [labelKeys.entry]: labels[labelKeys.entry] ?? '' })) throw error;
    }
    return blob.url;
  }
}

/** Nothing is asked of another address than the account's own: requests carry a token. */
function blobIn(container: ContainerClient, id: string): PageBlobClient | undefined {
  const { origin, pathname, searchParams } = new URL(id);
  const prefix = `${new URL(container.url).pathname}/`;
  if (origin !== new URL(container.url).origin || !pathname.startsWith(prefix)) return undefined;
  const blob = container.getPageBlobClient(decodeURIComponent(pathname.slice(prefix.length)));
  const snapshot = searchParams.get('snapshot');
  return snapshot === null ? blob : blob.withSnapshot(snapshot);
}

/** The same cloud, with page blobs for the volumes of replicas. What a deployment makes of them is managed disks: the cloud runs no VMs from page blobs. */
export function withPageBlobs(
  base: CloudCalls,
  session: AzureSession,
  place: Place,
  blobs: BlobPlace,
  rules?: DiskRules,
  environment?: DestinationEnvironment,
): CloudCalls {
  const container = new BlobContainer(session, place, blobs);
  const blobVolume = (id: string, name: string, bytes: number, labels: Record<string, string>): CloudVolume => ({
    id,
    name,
    state: 'available',
    status: 'available',
    sizeGib: Math.floor((bytes - footerBytes) / gib),
    type: undefined,
    zone: undefined,
    serverId: undefined,
    labels,
  });
  const volumes: VolumeStore = {
    async list(labels, signal) {
      const found = await container.items(labels, false, signal);
      return [
        ...found.map(({ name, bytes, labels: own, blob }) => blobVolume(blob.url, name, bytes, own)),
        ...(await base.volumes.list(labels, signal)),
      ];
    },
    async get(id, signal) {
      if (!isBlobId(id)) return base.volumes.get(id, signal);
      const found = await container.facts(id, signal);
      return found === undefined ? undefined : blobVolume(id, found.name, found.bytes, found.labels);
    },
    async create(volume, signal) {
      if (volume.contentOf !== undefined) {
        const disk = rules?.vm?.disks.find(({ id }) => labelValue(id) === volume.labels[labelKeys.disk]);
        const type =
          volume.type ?? (disk === undefined || environment === undefined ? undefined : diskTypeOf(disk, environment));
        return base.volumes.create({ ...volume, type }, signal);
      }
      const id = await container.create(volume, signal);
      return blobVolume(id, volume.name, volume.sizeGib * gib + footerBytes, { ...volume.labels });
    },
    async label(id, labels, signal) {
      if (!isBlobId(id)) return base.volumes.label(id, labels, signal);
      const before = await container.facts(id, signal);
      if (before === undefined)
        throw new CausewayError('cloud.not-found', `blob ${new URL(id).pathname} no longer exists`, {
          details: { volumeId: id },
        });
      const all = { ...before.labels, ...labels };
      await session.call(
        `mark blob ${before.name}`,
        (options) => before.blob.setMetadata(toMetadata(all), options),
        signal,
      );
      return blobVolume(id, before.name, before.bytes, all);
    },
    async grow(id, sizeGib, signal) {
      if (!isBlobId(id)) return base.volumes.grow(id, sizeGib, signal);
      const before = await container.facts(id, signal);
      if (before === undefined || before.bytes >= sizeGib * gib + footerBytes) return;
      // The footer of before would be in the middle of the disk.
      await session.call(
        `clear the footer of blob ${before.name}`,
        (options) => before.blob.clearPages(before.bytes - footerBytes, footerBytes, options),
        signal,
      );
      await session.call(
        `grow blob ${before.name}`,
        (options) => before.blob.resize(sizeGib * gib + footerBytes, options),
        signal,
      );
    },
    async delete(id, signal) {
      if (!isBlobId(id)) return base.volumes.delete(id, signal);
      const found = await container.facts(id, signal);
      if (found === undefined) return;
      await stopCopy(session, found, signal);
      await session.find(
        `delete blob ${found.name}`,
        (options) => found.blob.delete({ ...options, deleteSnapshots: 'include' }),
        signal,
      );
    },
  };
  const snapshots: SnapshotStore = {
    async list(labels, signal) {
      const found = await container.items(labels, true, signal);
      return found.map(({ blob, labels: own }) => blobSnapshot(blob.url, own));
    },
    async get(id, signal) {
      if (!isBlobId(id)) return base.snapshots.get(id, signal);
      const found = await container.facts(id, signal);
      return found === undefined ? undefined : blobSnapshot(id, found.labels);
    },
    async create({ volumeId, name, labels }, signal) {
      const blob = await container.page(volumeId, signal);
      const { snapshot = '' } = await session.call(
        `create snapshot ${name}`,
        (options) => blob.createSnapshot({ ...options, metadata: toMetadata(labels) }),
        signal,
      );
      return blobSnapshot(blob.withSnapshot(snapshot).url, { ...labels });
    },
    async delete(id, signal) {
      if (!isBlobId(id)) return base.snapshots.delete(id, signal);
      const found = await container.facts(id, signal);
      if (found === undefined) return;
      await session.find(`delete snapshot of blob ${found.name}`, (options) => found.blob.delete(options), signal);
      // A request whose answer was lost may have made another one of the same moment.
      for (const { blob } of await container.items(
        { [labelKeys.entry]: found.labels[labelKeys.entry] ?? '' },
        true,
        signal,
      )) {
        await session.find(`delete snapshot of blob ${found.name}`, (options) => blob.delete(options), signal);
      }
    },
  };
  return {
    ...base,
    volumes,
    snapshots,
    copiesFrom: 'volume',
    largestVolumeGib: largestBlobGib,
    entryDetails: { ...base.entryDetails, storageAccount: blobs.account, storageContainer: blobs.container },
  };
}

/** A blob that is still being copied into cannot be deleted. */
async function stopCopy(session: AzureSession, { name, blob, copy }: BlobFacts, signal: AbortSignal): Promise<void> {
  if (copy?.status !== 'pending') return;
  try {
    await session.find(`stop the copy into blob ${name}`, (options) => blob.abortCopyFromURL(copy.id, options), signal);
  } catch (error) {
    // It has come to its end meanwhile.
    if (!isStatus(error, 409)) throw error;
  }
}

const blobSnapshot = (id: string, labels: Readonly<Record<string, string>>): CloudSnapshot => ({
  id,
  state: 'available',
  status: 'available',
  labels,
});
