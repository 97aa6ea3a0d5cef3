import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { pollUntil } from '../../http/poll.ts';
import { pollPlan } from './context.ts';
import type { Iaas } from './iaas/iaas.ts';
import type { CloudVolume } from './iaas/volumes.ts';
import type { CloudSession } from './session.ts';

/** Statuses are an open set; every failed one starts like this. */
export function isFailed(volume: CloudVolume): boolean {
  return volume.status.toUpperCase().startsWith('ERROR');
}

export function isGone(volume: CloudVolume): boolean {
  return volume.status === 'DELETED' || volume.status === 'DELETING';
}

/**
 * Waits until a volume is as wanted.
 *
 * @throws `cloud.operation-failed` when it ends in an error status, `cloud.not-found` when it is gone, `cloud.not-ready`
 */
export function awaitVolume(
  session: CloudSession,
  iaas: Iaas,
  id: string,
  purpose: string,
  isReady: (volume: CloudVolume) => boolean,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<CloudVolume> {
  const operation = `volume ${id}: ${purpose}`;
  return pollUntil(
    { operation, details: { volumeId: id } },
    async (s) => {
      const volume = await iaas.volumes.get(id, s);
      if (volume === undefined) throw new CausewayError('cloud.not-found', `${operation}: the volume is gone`, { details: { operation, volumeId: id } });
      if (isFailed(volume)) {
        throw new CausewayError('cloud.operation-failed', `${operation}: status ${volume.status}`, { details: { operation, volumeId: id, state: volume.status } });
      }
      return isReady(volume) ? { done: true, value: volume } : { done: false, state: volume.status };
    },
    pollPlan(session.timing, deadlineMs),
    session.clock,
    signal,
  );
}
