import { CausewayError } from '../../../../../../../shared/model/causeway-error.ts';
import { ensureResource, resourceTags, nameOf } from '../../../../../cloud-resources/ledgered-resource.ts';
import { orRemoveFailed } from '../../../../../cloud-resources/resource-deletion.ts';
import { awaitVolume, volumeFinders } from '../../../../../cloud-resources/volume-state.ts';
import { waitForState } from '../../../../../http/wait-for-state.ts';
import type { DestinationRun } from '../../../../../ports/destination-platform.ts';
import type { LedgerEntry } from '../../../../../ports/ledger.ts';
import type { OpenStackSession } from '../../../destination/context.ts';
import { cloudApi } from '../../../destination/cloud-api.ts';
import { GIB, type CloudDisk } from '../../source-context.ts';

const imagePlan = { deadlineMs: 6 * 3600_000, firstMs: 1000, capMs: 10_000 };

export const interimKey = (tag: string, diskId: string): string => `${tag}/${diskId}/interim`;
export const imageKey = (tag: string, diskId: string): string => `${tag}/${diskId}/image`;

/** What an interim volume is made of. */
export type InterimOrigin = { readonly snapshot_id: string } | { readonly imageRef: string };

/** A copy of a disk that no server uses. Of a snapshot, it is of the snapshot's own type: no data crosses between back ends. */
export async function ensureInterimVolume(
  session: OpenStackSession,
  run: DestinationRun,
  tag: string,
  disk: CloudDisk,
  origin: InterimOrigin,
  type: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const cloud = cloudApi(session);
  const { resource, entry } = await ensureResource<{ readonly id: string }>(
    cloud,
    run.ledger,
    { kind: 'volume', key: interimKey(tag, disk.id), lifetime: 'replica', details: { diskId: disk.id } },
    {
      ...volumeFinders(cloud),
      create: (each, s) =>
        session.cloud.volume.volumes.create(
          {
            name: nameOf(each),
            size: Math.ceil(disk.sizeBytes / GIB),
            ...origin,
            ...(type === undefined ? {} : { volume_type: type }),
            metadata: resourceTags(run, each),
          },
          s,
        ),
    },
    signal,
  );
  const ready = () =>
    awaitVolume(
      cloud,
      resource.id,
      `copying disk ${disk.id} into it`,
      ({ state }) => state === 'available' || state === 'attached',
      cloud.timing.volumeMs * 12,
      signal,
    );
  await orRemoveFailed(cloud, run.ledger, entry, ready, signal);
  return resource.id;
}

/** An image of a server's root disk, complete. */
export async function ensureServerImage(
  session: OpenStackSession,
  run: DestinationRun,
  tag: string,
  disk: CloudDisk,
  signal: AbortSignal,
): Promise<string> {
  const { image, compute } = session.cloud;
  const find = async (entry: LedgerEntry, s: AbortSignal) => (await image.list({ name: nameOf(entry) }, s))[0];
  const { resource } = await ensureResource<{ readonly id: string }>(
    session,
    run.ledger,
    { kind: 'image', key: imageKey(tag, disk.id), lifetime: 'replica', details: { serverId: disk.serverId } },
    {
      find,
      get: (id, _entry, s) => image.get(id, s),
      create: async (entry, s) => ({ id: await compute.servers.createImage(disk.serverId, nameOf(entry), {}, s) }),
    },
    signal,
  );
  await waitForState(
    { operation: `image of server ${disk.serverId}` },
    async (s) => {
      const seen = await image.get(resource.id, s);
      if (seen === undefined || ['killed', 'deleted', 'pending_delete'].includes(seen.status)) {
        throw new CausewayError(
          'source.snapshot-failed',
          `the image of server ${disk.serverId} is ${seen?.status ?? 'missing'}: the compute service could not create it`,
          {
            details: { serverId: disk.serverId, imageId: resource.id },
          },
        );
      }
      return seen.status === 'active' ? { done: true, value: undefined } : { done: false, state: seen.status };
    },
    imagePlan,
    session.clock,
    signal,
  );
  return resource.id;
}
