import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { waitForState } from '../../http/wait-for-state.ts';
import type { DeploymentRun, VolumeSnapshot } from '../../ports/deployment-platform.ts';
import type { Volume } from '../../ports/destination-platform.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import { freeVolume } from '../volume-attachments.ts';
import type { CloudApi, CloudSnapshot, CloudVolume } from '../cloud-api.ts';
import { hasLabels, labelKeys, labelValue } from '../labels.ts';
import { ensureResource, entryLabel, resourceTags, nameOf, type Intent } from '../ledgered-resource.ts';
import { orRemoveFailed } from '../resource-deletion.ts';
import { diskBytesLabel } from '../replica-volumes.ts';
import { pollPlan } from '../retry-context.ts';
import { bytesOfGib } from '../volume-sizes.ts';
import { awaitVolume, volumeFinders } from '../volume-state.ts';
import { deploymentIntent } from './deployment-keys.ts';

/** Snapshots of the replica's volumes, all of them usable when this returns. */
export async function snapshotVolumes(
  cloud: CloudApi,
  run: DeploymentRun,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<readonly VolumeSnapshot[]> {
  const snapshots: { readonly snapshot: VolumeSnapshot; readonly entry: LedgerEntry }[] = [];
  for (const volume of volumes) {
    await freeVolume(cloud, run, volume.id, undefined, signal);
    const { resource, entry } = await ensureResource<CloudSnapshot>(
      cloud,
      run.ledger,
      deploymentIntent(run, 'volume-snapshot', `snapshot/${volume.diskId}`, {
        ...cloud.entryDetails,
        volumeId: volume.id,
      }),
      {
        find: async (entry, s) =>
          (await cloud.snapshots.list(entryLabel(entry), s)).find((each) => hasLabels(each, entryLabel(entry))),
        get: (id, _entry, s) => cloud.snapshots.get(id, s),
        create: (entry, s) =>
          cloud.snapshots.create(
            {
              volumeId: volume.id,
              name: nameOf(entry),
              labels: resourceTags(run, entry, { [labelKeys.disk]: labelValue(volume.diskId) }),
            },
            s,
          ),
      },
      signal,
    );
    snapshots.push({ snapshot: { id: resource.id, diskId: volume.diskId, volumeId: volume.id }, entry });
  }
  for (const { snapshot, entry } of snapshots) {
    await orRemoveFailed(cloud, run.ledger, entry, () => awaitSnapshot(cloud, snapshot.id, signal), signal);
  }
  return snapshots.map(({ snapshot }) => snapshot);
}

/** New volumes of the deployment with the snapshots' content. */
export async function volumesFromSnapshots(
  cloud: CloudApi,
  run: DeploymentRun,
  snapshots: readonly VolumeSnapshot[],
  zone: string | undefined,
  signal: AbortSignal,
): Promise<readonly Volume[]> {
  const intentOf = ({ diskId }: VolumeSnapshot): Intent =>
    deploymentIntent(run, 'volume', `disk/${diskId}`, { ...cloud.entryDetails, diskId });
  return makeCopies(cloud, run, snapshots, { zone, from: cloud.copiesFrom }, intentOf, signal);
}

interface CopyPlan {
  readonly zone: string | undefined;
  readonly from: CloudApi['copiesFrom'];
}

/** Volumes with the content of snapshots, under the keys that `intentOf` gives them; all of them usable when this returns. */
export async function makeCopies(
  cloud: CloudApi,
  run: DeploymentRun,
  snapshots: readonly VolumeSnapshot[],
  { zone, from }: CopyPlan,
  intentOf: (snapshot: VolumeSnapshot) => Intent,
  signal: AbortSignal,
): Promise<readonly Volume[]> {
  const volumes: { readonly volume: Volume; readonly entry: LedgerEntry }[] = [];
  for (const snapshot of snapshots) {
    const original = await cloud.volumes.get(snapshot.volumeId, signal);
    const bytes = original?.labels[diskBytesLabel];
    const { resource, entry } = await ensureResource<CloudVolume>(
      cloud,
      run.ledger,
      intentOf(snapshot),
      {
        ...volumeFinders(cloud),
        create: (entry, s) =>
          cloud.volumes.create(
            {
              name: nameOf(entry),
              zone,
              type: original?.type,
              sizeGib: original?.sizeGib ?? 0,
              contentOf: from === 'snapshot' ? { snapshotId: snapshot.id } : { volumeId: snapshot.volumeId },
              labels: resourceTags(run, entry, {
                // Without the VM's label: the check of quotas counts the replica's own volumes by it.
                [labelKeys.disk]: labelValue(snapshot.diskId),
                ...(typeof bytes === 'string' ? { [diskBytesLabel]: bytes } : {}),
              }),
            },
            s,
          ),
      },
      signal,
    );
    volumes.push({
      volume: {
        id: resource.id,
        diskId: snapshot.diskId,
        sizeBytes: bytesOfGib(resource.sizeGib),
        createdByThisCall: false,
      },
      entry,
    });
  }
  const usable: Volume[] = [];
  for (const { volume, entry } of volumes) {
    const made = (): Promise<CloudVolume> =>
      awaitVolume(
        cloud,
        volume.id,
        `waiting until it is created from its ${from}`,
        (each) => each.state === 'available' || each.state === 'attached',
        cloud.timing.volumeMs,
        signal,
      );
    const { sizeGib } = await orRemoveFailed(cloud, run.ledger, entry, made, signal);
    usable.push({ ...volume, sizeBytes: bytesOfGib(sizeGib) });
  }
  return usable;
}

export function awaitSnapshot(cloud: CloudApi, id: string, signal: AbortSignal): Promise<void> {
  const operation = `snapshot ${id}: waiting until it is available`;
  return waitForState(
    { operation, details: { snapshotId: id } },
    async (s) => {
      const snapshot = await cloud.snapshots.get(id, s);
      if (snapshot === undefined)
        throw new CausewayError('cloud.not-found', `${operation}: the snapshot no longer exists`, {
          details: { operation, snapshotId: id },
        });
      if (snapshot.state === 'failed') {
        throw new CausewayError('cloud.operation-failed', `${operation}: status ${snapshot.status}`, {
          details: { operation, snapshotId: id, state: snapshot.status },
        });
      }
      return snapshot.state === 'available'
        ? { done: true, value: undefined }
        : { done: false, state: snapshot.status };
    },
    pollPlan(cloud.timing, cloud.timing.volumeMs),
    cloud.clock,
    signal,
  );
}
