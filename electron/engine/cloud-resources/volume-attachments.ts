import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { LedgerScope } from '../ports/ledger.ts';
import type { DestinationRun, DeviceIdentity, Volume } from '../ports/destination-platform.ts';
import type { WorkerCloud } from './cloud-api.ts';
import { hasLabels, labelKeys, labelValue, managedBy } from './labels.ts';
import { refuseOtherOwner } from './other-owner.ts';
import { awaitVolume } from './volume-state.ts';

type AttachingCloud = Omit<WorkerCloud, 'deleterFor' | 'entryDetails'>;

/**
 * Attaches a volume to a worker.
 *
 * @returns how the worker sees it: these clouds pass a volume's id on as the serial
 */
export async function attachToWorker(
  cloud: AttachingCloud,
  run: DestinationRun,
  workerId: string,
  volume: Volume,
  signal: AbortSignal,
): Promise<DeviceIdentity> {
  await attachVolume(cloud, run, workerId, volume.id, signal);
  return { kind: 'serial', serial: volume.id, sizeBytes: volume.sizeBytes };
}

type Holder = Pick<DestinationRun, 'replicaId' | 'note'> & { readonly ledger: Pick<LedgerScope, 'owner'> };

/**
 * Attaches a volume to a worker and waits until it is attached. A volume that an earlier worker of the same replica
 * still holds is taken from it.
 *
 * @throws `cloud.volume-in-use` when another server has it, `store.replica-elsewhere` when another computer's worker does, `cloud.operation-failed`, `cloud.not-ready`
 */
export async function attachVolume(
  cloud: AttachingCloud,
  run: Holder,
  serverId: string,
  volumeId: string,
  signal: AbortSignal,
): Promise<void> {
  await freeVolume(cloud, run, volumeId, serverId, signal);
  const before = await awaitVolume(
    cloud,
    volumeId,
    'waiting until it can be attached',
    (volume) => volume.state === 'available' || volume.serverId === serverId,
    cloud.timing.volumeMs,
    signal,
  );
  if (before.state === 'available') {
    try {
      await cloud.servers.attach(serverId, volumeId, signal);
    } catch (error) {
      // A repeated request meets the attachment that the first one made, when that one's answer was lost.
      if (!(error instanceof CausewayError) || error.code !== 'cloud.conflict') throw error;
      const now = await cloud.volumes.get(volumeId, signal);
      if (now === undefined || (now.serverId !== serverId && now.state !== 'changing')) throw error;
    }
  }
  await awaitVolume(
    cloud,
    volumeId,
    `attaching to server ${serverId}`,
    (volume) => volume.serverId === serverId && volume.state === 'attached',
    cloud.timing.attachMs,
    signal,
  );
}

/** Detaches a volume and waits until it is free. Not attached is done. */
export async function detachVolume(
  cloud: AttachingCloud,
  serverId: string,
  volumeId: string,
  signal: AbortSignal,
): Promise<void> {
  await cloud.servers.detach(serverId, volumeId, signal);
  await awaitVolume(
    cloud,
    volumeId,
    `detaching from server ${serverId}`,
    (volume) => volume.serverId !== serverId && volume.state !== 'changing',
    cloud.timing.attachMs,
    signal,
  );
}

/** Takes a volume from whichever worker of the same replica still holds it, other than `exceptServerId`. */
export async function freeVolume(
  cloud: AttachingCloud,
  run: Holder,
  volumeId: string,
  exceptServerId: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const volume = await cloud.volumes.get(volumeId, signal);
  const holder = volume?.serverId;
  if (holder === exceptServerId && holder !== undefined) return;
  const server = holder === undefined ? undefined : await cloud.servers.get(holder, signal);
  if (holder === undefined || server === undefined) {
    if (volume !== undefined && volume.state !== 'available') await cloud.volumes.forgetGone?.(volumeId, signal);
    return;
  }
  const ours = { [labelKeys.managedBy]: managedBy, [labelKeys.replica]: labelValue(run.replicaId) };
  if (!hasLabels(server, ours) || server.labels[labelKeys.role] === undefined) {
    throw new CausewayError(
      'cloud.volume-in-use',
      `volume ${volumeId} is attached to server ${server.name} (${holder})`,
      {
        details: { volumeId, serverId: holder, serverName: server.name },
      },
    );
  }
  refuseOtherOwner(run.ledger.owner, server.labels, `volume ${volumeId} is attached to ${server.name}, a worker`);
  run.note(`Volume ${volumeId} is still attached to ${server.name}, an earlier worker: detaching it`, {
    volumeId,
    serverId: holder,
  });
  await detachVolume(cloud, holder, volumeId, signal);
}
