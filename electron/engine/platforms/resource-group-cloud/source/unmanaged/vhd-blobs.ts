import type { ContainerClient, PageBlobClient } from '@azure/storage-blob';
import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import type { AzureCloud } from '../../client/open-azure.ts';
import { readByDownload, type PageAccess } from '../../client/page-access.ts';
import { footerBytes } from '../../destination/page-blobs.ts';

/** The ids of page blobs and of their snapshots are their addresses. */
export { isBlobId } from '../../destination/page-blobs.ts';

/** A page blob of a storage account of the subscription. */
export interface VhdBlob {
  /** `<account>/<container>/<blob>`. */
  readonly id: string;
  /** Without a snapshot. */
  readonly url: string;
  readonly location: string;
  /** What the account's replication and performance are called. */
  readonly sku: string | undefined;
  readonly container: ContainerClient;
  readonly name: string;
}

interface Account {
  readonly name: string;
  readonly endpoint: string;
  readonly location: string;
  readonly sku: string | undefined;
}

/** Page blobs that VMs have as unmanaged disks: each is a VHD of fixed size, the bytes of the disk with a footer behind them. */
export class VhdBlobs {
  readonly #cloud: AzureCloud;
  #accounts: Promise<readonly Account[]> | undefined;

  constructor(cloud: AzureCloud) {
    this.#cloud = cloud;
  }

  /**
   * What an address names, with or without a snapshot. Requests carry a token, so that only addresses in accounts of this subscription are
   * known, whoever wrote them.
   */
  async find(
    address: string,
    signal: AbortSignal,
  ): Promise<{ readonly blob: VhdBlob; readonly snapshot: string | undefined } | undefined> {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (url === undefined) return undefined;
    const place = `${url.origin}${url.pathname}`;
    const account = (await this.#known(signal)).find(({ endpoint }) =>
      place.toLowerCase().startsWith(endpoint.toLowerCase()),
    );
    if (account === undefined) return undefined;
    const [container = '', ...rest] = place.slice(account.endpoint.length).split('/').map(decodeURIComponent);
    const name = rest.join('/');
    if (container === '' || name === '') return undefined;
    const client = await this.#cloud.blobContainer(account.endpoint, container);
    const { location, sku } = account;
    return {
      blob: {
        id: `${account.name}/${container}/${name}`,
        url: client.getPageBlobClient(name).url,
        location,
        sku,
        container: client,
        name,
      },
      snapshot: url.searchParams.get('snapshot') ?? undefined,
    };
  }

  /** @throws `cloud.permission-denied` */
  async demand(address: string, disk: string, signal: AbortSignal): Promise<VhdBlob> {
    const found = await this.find(address, signal);
    if (found !== undefined) return found.blob;
    const where = URL.canParse(address) ? new URL(address).host : 'an unknown place';
    throw new CausewayError(
      'cloud.permission-denied',
      `the unmanaged disk ${disk} is a blob at ${where}, which is no storage account that this identity can see in the subscription (Microsoft.Storage/storageAccounts/read)`,
      { details: { disk, host: where } },
    );
  }

  /** Whole bytes of the disk. @throws `source.unsupported` for a blob that is no VHD */
  async sizeOf(blob: VhdBlob, signal: AbortSignal): Promise<number> {
    const { contentLength = 0, blobType } = await this.#cloud.call(
      `read blob ${blob.id}`,
      (options) => blob.container.getPageBlobClient(blob.name).getProperties(options),
      signal,
    );
    if (blobType !== 'PageBlob' || contentLength <= footerBytes)
      throw new CausewayError(
        'source.unsupported',
        `${blob.id} is no page blob with a VHD (${blobType ?? 'unknown type'}, ${contentLength} bytes)`,
      );
    return contentLength - footerBytes;
  }

  /** @throws `source.snapshot-lost` when the address is of no account of the subscription */
  async snapshotAt(address: string, signal: AbortSignal): Promise<PageBlobClient> {
    const found = await this.find(address, signal);
    if (found?.snapshot === undefined)
      throw new CausewayError(
        'source.snapshot-lost',
        'a snapshot of an unmanaged disk is in no storage account of the subscription',
      );
    return found.blob.container.getPageBlobClient(found.blob.name).withSnapshot(found.snapshot);
  }

  /** The pages of a snapshot, by the identity that is signed in. Nothing is granted, so that nothing ends or is revoked. */
  accessTo(snapshotId: string): PageAccess {
    const time = new URL(snapshotId).searchParams.get('snapshot') ?? '';
    const use: PageAccess['use'] = async (operation, work, signal) => {
      const pages = await this.snapshotAt(snapshotId, signal);
      return this.#cloud.call(operation, (options) => work(pages, options), signal);
    };
    return {
      use,
      read: readByDownload(use),
      changes: (pages, offset, length, former, options) => pages.getPageRangesDiff(offset, length, former, options),
      name: async () => time,
      refused: async () => undefined,
    };
  }

  #known(signal: AbortSignal): Promise<readonly Account[]> {
    this.#accounts ??= this.#list(signal).catch((error: unknown) => {
      this.#accounts = undefined;
      throw error;
    });
    return this.#accounts;
  }

  async #list(signal: AbortSignal): Promise<readonly Account[]> {
    const { storageAccounts } = await this.#cloud.storage();
    const all = await this.#cloud.list('list storage accounts', (options) => storageAccounts.list(options), signal);
    return all.flatMap(({ name = '', location, sku, primaryEndpoints }) => {
      const endpoint = primaryEndpoints?.blob;
      return endpoint === undefined
        ? []
        : [{ name, endpoint: `${endpoint.replace(/\/+$/, '')}/`, location, sku: sku?.name }];
    });
  }
}
