import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { DestinationRun } from '../../ports/destination-platform.ts';
import { followRequest } from './follow-request.ts';
import type { Iaas } from './iaas/iaas.ts';
import { hasLabels, labelKeys, labelValue, managedBy } from './iaas/labels.ts';
import type { CloudSession } from './session.ts';
import { awaitVolume } from './volume-state.ts';

/**
 * Attaches a volume to a server of ours and waits until it is. A volume that an earlier worker of the same replica
 * still holds is taken from it.
 *
 * @throws `cloud.volume-in-use` when another server has it, `cloud.operation-failed`, `cloud.not-ready`
 */
export async function attachVolume(
  session: CloudSession,
  iaas: Iaas,
  run: Pick<DestinationRun, 'replicaId' | 'note'>,
  serverId: string,
  volumeId: string,
  signal: AbortSignal,
): Promise<void> {
  await freeVolume(session, iaas, run, volumeId, serverId, signal);
  const isAttached = (volume: { readonly status: string; readonly serverId?: string | null | undefined }): boolean =>
    volume.serverId === serverId && volume.status === 'ATTACHED';
  const before = await awaitVolume(
    session, iaas, volumeId, 'waiting until it can be attached',
    (volume) => volume.status === 'AVAILABLE' || volume.serverId === serverId, session.timing.volumeMs, signal,
  );
  if (before.status === 'AVAILABLE') {
    try {
      const accepted = await iaas.servers.attach(serverId, volumeId, signal);
      await followRequest(session, iaas, `attach volume ${volumeId} to server ${serverId}`, accepted, signal);
    } catch (error) {
      // A repeated request meets the attachment that the first one made, when that one's answer was lost.
      if (!(error instanceof CausewayError) || error.code !== 'cloud.conflict') throw error;
      const now = await iaas.volumes.get(volumeId, signal);
      if (now === undefined || (now.serverId !== serverId && now.status !== 'ATTACHING')) throw error;
    }
  }
  await awaitVolume(session, iaas, volumeId, `attaching to server ${serverId}`, isAttached, session.timing.attachMs, signal);
}

/** Detaches a volume and waits until it is free. Not attached is done. */
export async function detachVolume(session: CloudSession, iaas: Iaas, serverId: string, volumeId: string, signal: AbortSignal): Promise<void> {
  const accepted = await iaas.servers.detach(serverId, volumeId, signal);
  if (accepted !== undefined) await followRequest(session, iaas, `detach volume ${volumeId} from server ${serverId}`, accepted, signal);
  await awaitVolume(
    session, iaas, volumeId, `detaching from server ${serverId}`,
    (volume) => volume.serverId !== serverId && volume.status !== 'DETACHING', session.timing.attachMs, signal,
  );
}

/** Takes a volume from whichever worker of the same replica still holds it, other than `exceptServerId`. */
export async function freeVolume(
  session: CloudSession,
  iaas: Iaas,
  run: Pick<DestinationRun, 'replicaId' | 'note'>,
  volumeId: string,
  exceptServerId: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const volume = await iaas.volumes.get(volumeId, signal);
  const holder = volume?.serverId;
  if (typeof holder !== 'string' || holder === '' || holder === exceptServerId) return;
  const server = await iaas.servers.get(holder, signal);
  if (server === undefined) return;
  const ours = { [labelKeys.managedBy]: managedBy, [labelKeys.replica]: labelValue(run.replicaId) };
  if (!hasLabels(server, ours) || server.labels[labelKeys.role] === undefined) {
    throw new CausewayError('cloud.volume-in-use', `volume ${volumeId} is attached to server ${server.name} (${holder})`, {
      details: { volumeId, serverId: holder, serverName: server.name },
    });
  }
  run.note(`Volume ${volumeId} is still attached to ${server.name}, a worker of an earlier run: detaching it`, { volumeId, serverId: holder });
  await detachVolume(session, iaas, holder, volumeId, signal);
}
