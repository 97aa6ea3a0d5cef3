import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Placement } from '../../../../shared/model/execution.ts';
import type { Replica } from '../../../../shared/model/replica.ts';
import type { FleetInEngine } from '../../ports/replica-fleet.ts';
import { isWaiting } from '../../runs/run-service.ts';
import type { CoreContext } from '../core-context.ts';
import { activeOn } from './claims.ts';

/**
 * Puts what waits of a replica before everything that is not urgent, or back. Under the replica's claim, which is given back. Rejects with
 * `fleet.not-waiting`.
 */
export async function setUrgent(
  core: CoreContext,
  fleet: FleetInEngine,
  replica: Replica,
  isUrgent: boolean,
  signal: AbortSignal,
): Promise<void> {
  const ofReplica = (run: { readonly replicaId: string }): boolean => run.replicaId === replica.id;
  const changed = (placement: Placement | undefined): Placement => ({ ...placement, urgent: isUrgent });
  const { executions, deployments } = core.store;
  // What runs here, or has its turn here next, is not distributed any more.
  const isTaken = activeOn(core, replica.id).length > 0;
  const [waitingExecutions, waitingDeployments] = isTaken
    ? [[], []]
    : [
        executions.listOpen().filter((run) => ofReplica(run) && isWaiting(run)),
        deployments.listOpen().filter((run) => ofReplica(run) && isWaiting(run)),
      ];
  for (const { id, options } of waitingExecutions)
    executions.setOptions(id, { ...options, placement: changed(options.placement) });
  for (const { id, options } of waitingDeployments)
    deployments.setOptions(id, { ...options, placement: changed(options.placement) });
  const found = [
    ...waitingExecutions.map(({ id }) => ({ executionId: id })),
    ...waitingDeployments.map(({ id }) => ({ deploymentId: id })),
  ];
  for (const run of found)
    core.emit({
      type: 'note',
      replicaId: replica.id,
      ...run,
      message: isUrgent ? 'made urgent' : 'not urgent any more',
      details: { isUrgent },
    });
  // What runs here runs under the claim.
  if (!isTaken) await fleet.release(replica.id, signal);
  if (found.length === 0) throw new CausewayError('fleet.not-waiting', replica.name);
}
