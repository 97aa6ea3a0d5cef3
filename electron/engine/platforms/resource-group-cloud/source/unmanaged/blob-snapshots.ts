import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import { hasLabels, type Labels } from '../../../../cloud-resources/labels.ts';
import { ensureResource, entryLabel, nameOf, resourceTags } from '../../../../cloud-resources/ledgered-resource.ts';
import { isVhdFooter } from '../../../../images/vhd-footer.ts';
import type { LedgerEntry } from '../../../../ports/ledger.ts';
import { footerBytes, fromMetadata, toMetadata } from '../../destination/page-blobs.ts';
import type { SnapshotMark } from '../snapshot-mark.ts';
import { ledgerOf, runOf, type SourceContext } from '../source-context.ts';
import type { VhdBlob } from './vhd-blobs.ts';

type WithBlobs = Pick<SourceContext, 'cloud' | 'vhds'>;

interface Found {
  readonly id: string;
  readonly labels: Labels;
}

/** The snapshots of one blob. Storage gives them no names: their metadata tell whose they are. */
async function snapshotsOf({ cloud }: WithBlobs, blob: VhdBlob, signal: AbortSignal): Promise<readonly Found[]> {
  const items = await cloud.list(
    `list snapshots of blob ${blob.id}`,
    (options) =>
      blob.container.listBlobsFlat({ ...options, prefix: blob.name, includeSnapshots: true, includeMetadata: true }),
    signal,
  );
  return items
    .filter(({ name, snapshot = '' }) => name === blob.name && snapshot !== '')
    .map(({ snapshot = '', metadata }) => ({
      id: blob.container.getPageBlobClient(blob.name).withSnapshot(snapshot).url,
      labels: fromMetadata(metadata),
    }));
}

/** Asks for a snapshot of a blob, which is there with the answer. Attached or not, a blob can have one. */
export async function askForBlobSnapshot(
  context: SourceContext,
  blob: VhdBlob,
  key: string,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly entry: LedgerEntry }> {
  const { cloud } = context;
  const intent = {
    kind: 'volume-snapshot',
    key,
    lifetime: 'replica',
    details: { blob: blob.url, location: blob.location, diskId: blob.id },
  } as const;
  const { resource, entry } = await ensureResource(
    cloud,
    ledgerOf(context),
    intent,
    {
      find: async (given, within) =>
        (await snapshotsOf(context, blob, within)).find((one) => hasLabels(one, entryLabel(given))),
      get: async (id, _given, within) => ((await etagOf(context, id, within)) === undefined ? undefined : { id }),
      async create(given, within) {
        const pages = blob.container.getPageBlobClient(blob.name);
        const { snapshot = '' } = await cloud.call(
          `create snapshot ${nameOf(given)} of blob ${blob.id}`,
          (options) => pages.createSnapshot({ ...options, metadata: toMetadata(resourceTags(runOf(context), given)) }),
          within,
        );
        return { id: pages.withSnapshot(snapshot).url };
      },
    },
    signal,
  );
  return { id: resource.id, entry };
}

/** @throws `source.snapshot-failed` when it is of another size, or its last bytes are no footer of a VHD of fixed size */
export async function blobSnapshotMark(
  context: SourceContext,
  id: string,
  blob: VhdBlob,
  sizeBytes: number,
  signal: AbortSignal,
): Promise<SnapshotMark> {
  const { cloud } = context;
  const pages = await context.vhds.snapshotAt(id, signal);
  const { contentLength = 0, etag = '' } = await cloud.call(
    `read the snapshot of blob ${blob.id}`,
    (options) => pages.getProperties(options),
    signal,
  );
  const failed = (why: string): CausewayError =>
    new CausewayError('source.snapshot-failed', `the snapshot of the unmanaged disk ${blob.id}: ${why}`, {
      details: { snapshotId: id },
    });
  if (contentLength !== sizeBytes + footerBytes) throw failed('the disk changed its size while its snapshot was taken');
  const footer = Buffer.alloc(footerBytes);
  await cloud.call(
    `read the footer of blob ${blob.id}`,
    (options) =>
      pages.downloadToBuffer(footer, sizeBytes, footerBytes, {
        abortSignal: options.abortSignal,
        maxRetryRequestsPerBlock: 0,
      }),
    signal,
  );
  if (!isVhdFooter(footer) || footer.readUInt32BE(60) !== fixedSize || footer.readBigUInt64BE(48) > BigInt(sizeBytes))
    throw failed('it does not end as a VHD of fixed size does');
  return { snapshotId: id, uniqueId: etag, family: blob.url };
}

const fixedSize = 2;

/** Undefined: it is not there. A snapshot's ETag never changes. */
export async function etagOf({ cloud, vhds }: WithBlobs, id: string, signal: AbortSignal): Promise<string | undefined> {
  const found = await vhds.find(id, signal);
  if (found?.snapshot === undefined) return undefined;
  const pages = found.blob.container.getPageBlobClient(found.blob.name).withSnapshot(found.snapshot);
  return (
    (await cloud.find(`read the snapshot of blob ${found.blob.id}`, (options) => pages.getProperties(options), signal))
      ?.etag ?? undefined
  );
}

/** The blob that a recorded snapshot is of; undefined: it is one of a managed disk. */
export function blobOf(entry: LedgerEntry): string | undefined {
  const { blob } = entry.details;
  return typeof blob === 'string' ? blob : undefined;
}

export async function findBlobSnapshot(
  context: WithBlobs,
  address: string,
  entry: LedgerEntry,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await context.vhds.find(address, signal);
  return found === undefined
    ? undefined
    : (await snapshotsOf(context, found.blob, signal)).find((one) => hasLabels(one, entryLabel(entry)))?.id;
}

/** With those of requests whose answers were lost. What is gone with its blob or its account is gone. */
export async function deleteBlobSnapshot(
  context: WithBlobs,
  id: string,
  entry: LedgerEntry,
  signal: AbortSignal,
): Promise<void> {
  const { cloud, vhds } = context;
  const found = await vhds.find(id, signal);
  if (found === undefined) return;
  const { blob } = found;
  const own = (await snapshotsOf(context, blob, signal)).filter((one) => hasLabels(one, entryLabel(entry)));
  for (const address of new Set([id, ...own.map((one) => one.id)])) {
    const pages = await vhds.snapshotAt(address, signal);
    await cloud.find(`delete a snapshot of blob ${blob.id}`, (options) => pages.delete(options), signal);
  }
}

/** Snapshots of the given blobs that carry labels of this product, whoever of it made them. */
export async function labelledBlobSnapshots(
  context: WithBlobs,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<readonly { readonly id: string; readonly name: string; readonly labels: Labels }[]> {
  const lists = await Promise.all(
    [...new Set(addresses)].map(async (address) => {
      const found = await context.vhds.find(address, signal);
      if (found === undefined) return [];
      return (await snapshotsOf(context, found.blob, signal)).map(({ id, labels }) => ({
        id,
        name: found.blob.id,
        labels,
      }));
    }),
  );
  return lists.flat();
}
