import type { DeploymentRun, VolumeSnapshot } from '../../ports/deployment-platform.ts';
import type { Volume } from '../../ports/destination-platform.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import { freeVolume } from '../volume-attachments.ts';
import type { CloudApi, CloudVolume } from '../cloud-api.ts';
import { labelKeys, labelValue } from '../labels.ts';
import type { Intent } from '../ledgered-resource.ts';
import { volumeKey } from '../replica-volumes.ts';
import { bytesOfGib } from '../volume-sizes.ts';
import { awaitVolume } from '../volume-state.ts';
import { deploymentIntent, discardedPart } from './deployment-keys.ts';
import { awaitSnapshot, makeCopies } from './deployment-volumes.ts';
import { removeServer } from './roll-back.ts';
import { closeEntry, claimVolume } from './claim-volume.ts';

/**
 * Gives the replica its volumes' former content back after a deployment in place failed. Where the cloud can't reset a
 * volume to its snapshot, a new volume takes the place of each changed one. The changed ones, which can't go before
 * their snapshots, are left to the roll-back. At every moment each volume is in the ledger.
 */
export async function restoreVolumes(
  cloud: CloudApi,
  run: DeploymentRun,
  snapshots: readonly VolumeSnapshot[],
  zone: string | undefined,
  signal: AbortSignal,
): Promise<readonly Volume[]> {
  const volumes: Volume[] = [];
  // A volume is reset when it is detached; one that a server would take with it stays as long as it has its snapshot.
  if (cloud.volumes.revert !== undefined) await removeServer(cloud, run, signal);
  for (const snapshot of snapshots) {
    if (cloud.volumes.revert !== undefined) {
      volumes.push(await revertVolume(cloud, run, snapshot, signal));
      continue;
    }
    const entry = run.ledger.find('volume', volumeKey(snapshot.diskId));
    const isRestored = entry?.resourceId !== undefined && entry.resourceId !== snapshot.volumeId;
    const restored = isRestored
      ? await cloud.volumes.get(entry.resourceId, signal)
      : await restoreVolume(cloud, run, snapshot, zone, entry, signal);
    if (restored === undefined) continue;
    volumes.push({
      id: restored.id,
      diskId: snapshot.diskId,
      sizeBytes: bytesOfGib(restored.sizeGib),
      createdByThisCall: false,
    });
  }
  return volumes;
}

async function revertVolume(
  cloud: CloudApi,
  run: DeploymentRun,
  { id, diskId, volumeId }: VolumeSnapshot,
  signal: AbortSignal,
): Promise<Volume> {
  await awaitSnapshot(cloud, id, signal);
  await freeVolume(cloud, run, volumeId, undefined, signal);
  await awaitVolume(
    cloud,
    volumeId,
    'waiting until it can be reset',
    ({ state }) => state === 'available',
    cloud.timing.volumeMs,
    signal,
  );
  run.note(`Volume ${volumeId} of disk ${diskId} was changed by the deployment: resetting it to snapshot ${id}`, {
    volumeId,
    snapshotId: id,
  });
  await cloud.volumes.revert?.(volumeId, id, signal);
  const reset = await awaitVolume(
    cloud,
    volumeId,
    `resetting to snapshot ${id}`,
    ({ state }) => state === 'available',
    cloud.timing.volumeMs,
    signal,
  );
  return { id: volumeId, diskId, sizeBytes: bytesOfGib(reset.sizeGib), createdByThisCall: false };
}

async function restoreVolume(
  cloud: CloudApi,
  run: DeploymentRun,
  snapshot: VolumeSnapshot,
  zone: string | undefined,
  changed: LedgerEntry | undefined,
  signal: AbortSignal,
): Promise<CloudVolume | undefined> {
  const { diskId, volumeId } = snapshot;
  await awaitSnapshot(cloud, snapshot.id, signal);
  const restoredIntent = deploymentIntent(run, 'volume', `restored/${diskId}`, { ...cloud.entryDetails, diskId });
  const [made] = await makeCopies(cloud, run, [snapshot], { zone, from: 'snapshot' }, () => restoredIntent, signal);
  if (made === undefined) return undefined;
  run.note(
    `Volume ${volumeId} of disk ${diskId} was changed by the deployment: replaced with ${made.id}, created from its snapshot`,
    { volumeId, newVolumeId: made.id },
  );
  const discarded = deploymentIntent(run, 'volume', discardedPart(diskId), { ...cloud.entryDetails, diskId });
  if (changed !== undefined) {
    await claimVolume(cloud, run, discarded, volumeId, {}, signal);
    await closeEntry(run, changed, signal);
  }
  const replica: Intent = {
    kind: 'volume',
    key: volumeKey(diskId),
    lifetime: 'replica',
    details: { ...cloud.entryDetails, diskId },
  };
  const restored = await claimVolume(cloud, run, replica, made.id, { [labelKeys.vm]: labelValue(run.vm.id) }, signal);
  const interim = run.ledger.find('volume', restoredIntent.key);
  if (interim !== undefined) await closeEntry(run, interim, signal);
  return restored;
}
