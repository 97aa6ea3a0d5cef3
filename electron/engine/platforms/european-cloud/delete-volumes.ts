import { CausewayError, toErrorRecord } from '../../../../shared/model/causeway-error.ts';
import type { DestinationRun } from '../../ports/destination-platform.ts';
import { releaseOwned } from './remove-resource.ts';
import type { CloudSession } from './session.ts';

/**
 * Deletes all volumes of a replica, those of disks that the VM no longer has as well.
 *
 * @throws `cloud.clean-up-incomplete` listing what is left
 */
export async function deleteVolumes(session: CloudSession, run: DestinationRun, signal: AbortSignal): Promise<void> {
  const failures: string[] = [];
  for (const entry of run.ledger.list({ kind: 'volume', lifetime: 'replica' })) {
    if (entry.state === 'removed') continue;
    signal.throwIfAborted();
    try {
      await releaseOwned(session, run.ledger, entry, signal);
    } catch (error) {
      signal.throwIfAborted();
      failures.push(`volume ${entry.resourceId ?? entry.name}: ${toErrorRecord(error).message}`);
    }
  }
  if (failures.length > 0) throw new CausewayError('cloud.clean-up-incomplete', failures.join('; '), { details: { left: failures } });
}
