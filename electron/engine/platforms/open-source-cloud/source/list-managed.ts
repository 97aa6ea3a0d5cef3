import { ourLabel, managedOf } from '../../../cloud-resources/managed-resources.ts';
import type { ManagedResource } from '../../../ports/destination-platform.ts';
import type { ResourceKind } from '../../../ports/ledger.ts';
import type { OpenStackCloud } from '../client/open-cloud.ts';

/** The name that the ledger gives a resource: it has the id of its entry. */
const ledgerName = /^causeway-(res-[a-z0-9]+)$/;

/**
 * Snapshots, backups and images that were made to read servers. Those without labels are known by their names, which say nothing of
 * whose they are. Servers and volumes of an export are listed with those of the destination side.
 */
export async function listManaged(cloud: OpenStackCloud, signal: AbortSignal): Promise<readonly ManagedResource[]> {
  const snapshots = await cloud.volume.snapshots.list({}, signal);
  const named = (
    kind: ResourceKind,
    resources: readonly { readonly id: string; readonly name?: string | null | undefined }[],
  ): readonly ManagedResource[] =>
    resources.flatMap(({ id, name }) => {
      const entryId = ledgerName.exec(name ?? '')?.[1];
      return entryId === undefined
        ? []
        : [{ kind, id, name: name ?? id, entryId, replicaId: undefined, owner: undefined, details: {} }];
    });
  const labelled = managedOf([
    ['volume-snapshot', snapshots.map(({ id, name, metadata }) => ({ id, name, labels: metadata ?? {} }))],
  ]);
  const unlabelled = snapshots.filter(
    ({ metadata }) => !Object.keys(ourLabel).some((key) => Object.hasOwn(metadata ?? {}, key)),
  );
  // Newest first, as removals go from the end of the list: an incremental backup before the one it depends on.
  const backups = (await cloud.volume.backups.list({}, signal)).toSorted((one, other) =>
    (one.created_at ?? '').localeCompare(other.created_at ?? ''),
  );
  return [
    ...labelled,
    ...named('volume-snapshot', unlabelled),
    ...named('volume-backup', backups),
    ...named('image', await cloud.image.list({}, signal)),
  ];
}
