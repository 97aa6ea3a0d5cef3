import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { DeploymentRun, VolumeSnapshot } from '../../../ports/deployment-platform.ts';
import type { Volume } from '../../../ports/destination-platform.ts';
import type { LedgerEntry } from '../../../ports/ledger.ts';
import { pollUntil } from '../../../http/poll.ts';
import { freeVolume } from '../attachments.ts';
import { pollPlan } from '../context.ts';
import { readEnvironment, required } from '../environment.ts';
import type { Iaas } from '../iaas/iaas.ts';
import { hasLabels, labelKeys, labelValue } from '../iaas/labels.ts';
import type { CloudSnapshot } from '../iaas/snapshots.ts';
import type { CloudVolume } from '../iaas/volumes.ts';
import { ensureOwned, entryLabel, labelsOf, nameOf, type Intent } from '../owned.ts';
import { diskBytesLabel } from '../replica-volumes.ts';
import type { CloudSession } from '../session.ts';
import { bytesOfGib } from '../storage-class.ts';
import { orRemoveFailed } from '../remove-resource.ts';
import { awaitVolume, volumeFinders } from '../volume-state.ts';
import { deploymentIntent } from './deployment-keys.ts';

/** Snapshots of the replica's volumes, all of them usable when this returns. */
export async function snapshotVolumes(session: CloudSession, run: DeploymentRun, volumes: readonly Volume[], signal: AbortSignal): Promise<readonly VolumeSnapshot[]> {
  const iaas = session.iaas(readEnvironment(run.environment).project);
  const snapshots: { readonly snapshot: VolumeSnapshot; readonly entry: LedgerEntry }[] = [];
  for (const volume of volumes) {
    await freeVolume(session, iaas, run, volume.id, undefined, signal);
    const { resource, entry } = await ensureOwned<CloudSnapshot>(
      session,
      run.ledger,
      deploymentIntent(run, 'volume-snapshot', `snapshot/${volume.diskId}`, { project: iaas.projectId, volumeId: volume.id }),
      {
        find: async (entry, s) => (await iaas.snapshots.list(entryLabel(entry), s)).find((each) => hasLabels(each, entryLabel(entry))),
        get: (id, _entry, s) => iaas.snapshots.get(id, s),
        create: (entry, s) =>
          iaas.snapshots.create({ volumeId: volume.id, name: nameOf(entry), labels: labelsOf(run, entry, { [labelKeys.disk]: labelValue(volume.diskId) }) }, s),
      },
      signal,
    );
    snapshots.push({ snapshot: { id: resource.id, diskId: volume.diskId, volumeId: volume.id }, entry });
  }
  for (const { snapshot, entry } of snapshots) {
    await orRemoveFailed(session, run.ledger, entry, () => awaitSnapshot(session, iaas, snapshot.id, signal), signal);
  }
  return snapshots.map(({ snapshot }) => snapshot);
}

/** New volumes of the deployment with the snapshots' content. */
export async function volumesFromSnapshots(
  session: CloudSession, run: DeploymentRun, snapshots: readonly VolumeSnapshot[], signal: AbortSignal,
): Promise<readonly Volume[]> {
  return makeFromSnapshots(session, run, snapshots, (iaas, snapshot) => deploymentIntent(run, 'volume', `disk/${snapshot.diskId}`, { project: iaas.projectId, diskId: snapshot.diskId }), signal);
}

/** Volumes made from snapshots, under the keys that `intentOf` gives them; all of them usable when this returns. */
export async function makeFromSnapshots(
  session: CloudSession,
  run: DeploymentRun,
  snapshots: readonly VolumeSnapshot[],
  intentOf: (iaas: Iaas, snapshot: VolumeSnapshot) => Intent,
  signal: AbortSignal,
): Promise<readonly Volume[]> {
  const environment = readEnvironment(run.environment);
  const iaas = session.iaas(environment.project);
  const zone = required(environment, 'availability_zone');
  const volumes: { readonly volume: Volume; readonly entry: LedgerEntry }[] = [];
  for (const snapshot of snapshots) {
    const original = await iaas.volumes.get(snapshot.volumeId, signal);
    const performanceClass = original?.performanceClass;
    const bytes = original?.labels[diskBytesLabel];
    const { resource, entry } = await ensureOwned<CloudVolume>(
      session,
      run.ledger,
      intentOf(iaas, snapshot),
      {
        ...volumeFinders(iaas),
        create: (entry, s) =>
          iaas.volumes.create(
            {
              name: nameOf(entry),
              availabilityZone: zone,
              ...(performanceClass === undefined ? {} : { performanceClass }),
              source: { type: 'snapshot', id: snapshot.id },
              labels: labelsOf(run, entry, {
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
    volumes.push({ volume: { id: resource.id, diskId: snapshot.diskId, serial: resource.id, sizeBytes: bytesOfGib(resource.size), isNew: false }, entry });
  }
  const usable: Volume[] = [];
  for (const { volume, entry } of volumes) {
    const made = (): Promise<CloudVolume> => awaitVolume(
      session, iaas, volume.id, 'waiting until it is made from its snapshot',
      (each) => each.status === 'AVAILABLE' || each.status === 'ATTACHED', session.timing.volumeMs, signal,
    );
    const { size } = await orRemoveFailed(session, run.ledger, entry, made, signal);
    usable.push({ ...volume, sizeBytes: bytesOfGib(size) });
  }
  return usable;
}

export function awaitSnapshot(session: CloudSession, iaas: Iaas, id: string, signal: AbortSignal): Promise<void> {
  const operation = `snapshot ${id}: waiting until it is available`;
  return pollUntil(
    { operation, details: { snapshotId: id } },
    async (s) => {
      const snapshot = await iaas.snapshots.get(id, s);
      if (snapshot === undefined) throw new CausewayError('cloud.not-found', `${operation}: it is gone`, { details: { operation, snapshotId: id } });
      if (snapshot.status.startsWith('ERROR')) {
        throw new CausewayError('cloud.operation-failed', `${operation}: status ${snapshot.status}`, { details: { operation, snapshotId: id, state: snapshot.status } });
      }
      return snapshot.status === 'AVAILABLE' ? { done: true, value: undefined } : { done: false, state: snapshot.status };
    },
    pollPlan(session.timing, session.timing.volumeMs),
    session.clock,
    signal,
  );
}
