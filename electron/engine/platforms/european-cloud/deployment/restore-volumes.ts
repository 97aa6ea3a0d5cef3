import type { DeploymentRun, VolumeSnapshot } from '../../../ports/deployment-platform.ts';
import type { Volume } from '../../../ports/destination-platform.ts';
import type { LedgerEntry } from '../../../ports/ledger.ts';
import { readEnvironment } from '../environment.ts';
import type { Iaas } from '../iaas/iaas.ts';
import { labelKeys, labelValue } from '../iaas/labels.ts';
import type { CloudVolume } from '../iaas/volumes.ts';
import type { Intent } from '../owned.ts';
import { volumeKey } from '../replica-volumes.ts';
import type { CloudSession } from '../session.ts';
import { bytesOfGib } from '../storage-class.ts';
import { deploymentIntent, discardedPart } from './deployment-keys.ts';
import { awaitSnapshot, makeFromSnapshots } from './deployment-volumes.ts';
import { letGo, takeOver } from './take-over.ts';

/**
 * Gives the replica its volumes' former content back after a deployment in place failed. The API can't reset a volume
 * to a snapshot, so that a new volume takes the place of each changed one. The changed ones, which can't go before
 * their snapshots, are left to the roll-back. At every moment each volume is in the ledger.
 */
export async function restoreVolumes(session: CloudSession, run: DeploymentRun, snapshots: readonly VolumeSnapshot[], signal: AbortSignal): Promise<readonly Volume[]> {
  const iaas = session.iaas(readEnvironment(run.environment).project);
  const volumes: Volume[] = [];
  for (const snapshot of snapshots) {
    const entry = run.ledger.find('volume', volumeKey(snapshot.diskId));
    const isRestored = entry?.resourceId !== undefined && entry.resourceId !== snapshot.volumeId;
    const restored = isRestored ? await iaas.volumes.get(entry.resourceId, signal) : await restoreVolume(session, iaas, run, snapshot, entry, signal);
    if (restored === undefined) continue;
    volumes.push({ id: restored.id, diskId: snapshot.diskId, serial: restored.id, sizeBytes: bytesOfGib(restored.size), isNew: false });
  }
  return volumes;
}

async function restoreVolume(
  session: CloudSession, iaas: Iaas, run: DeploymentRun, snapshot: VolumeSnapshot, changed: LedgerEntry | undefined, signal: AbortSignal,
): Promise<CloudVolume | undefined> {
  const { diskId, volumeId } = snapshot;
  await awaitSnapshot(session, iaas, snapshot.id, signal);
  const restoredIntent = deploymentIntent(run, 'volume', `restored/${diskId}`, { project: iaas.projectId, diskId });
  const [made] = await makeFromSnapshots(session, run, [snapshot], () => restoredIntent, signal);
  if (made === undefined) return undefined;
  run.note(`Volume ${volumeId} of disk ${diskId} was changed by the deployment: ${made.id}, made from its snapshot, takes its place`, { volumeId, newVolumeId: made.id });
  const discarded = deploymentIntent(run, 'volume', discardedPart(diskId), { project: iaas.projectId, diskId });
  if (changed !== undefined) {
    await takeOver(session, iaas, run, discarded, volumeId, {}, signal);
    await letGo(run, changed, signal);
  }
  const replica: Intent = { kind: 'volume', key: volumeKey(diskId), lifetime: 'replica', details: { project: iaas.projectId, diskId } };
  const restored = await takeOver(session, iaas, run, replica, made.id, { [labelKeys.vm]: labelValue(run.vm.id) }, signal);
  const interim = run.ledger.find('volume', restoredIntent.key);
  if (interim !== undefined) await letGo(run, interim, signal);
  return restored;
}
