import { toErrorRecord } from '../../../../shared/model/causeway-error.ts';
import { isTerminalDeployment, type Deployment } from '../../../../shared/model/deployment.ts';
import { rehearsalEnd } from '../../../../shared/model/machine-life.ts';
import type { Clock } from '../../time/clock.ts';
import type { CoreContext } from '../core-context.ts';
import { deleteDeployment } from '../deployment-deletion.ts';
import { entriesOf } from '../../deployments/leftover-resources.ts';

export interface EndedRehearsal {
  readonly deploymentId: string;
  readonly replicaName: string;
  readonly outcome: 'deleted' | 'failed';
  readonly error?: string;
}

/** Deletes a rehearsal and records that. What cannot be deleted stays in the ledger, and is tried again. */
export async function endRehearsal(
  core: CoreContext,
  deployment: Deployment,
  why: 'expired' | 'asked',
  signal: AbortSignal,
): Promise<EndedRehearsal> {
  const { id: deploymentId, replicaId, replicaName } = deployment;
  try {
    await deleteDeployment(core, deployment, why === 'expired' ? "the rehearsal's time was over" : 'asked', signal);
    core.evidence.life(
      { id: replicaId, name: replicaName },
      'rehearsal-ended',
      why === 'expired' ? 'causeway' : undefined,
      { deploymentId, why },
    );
    core.changed();
    return { deploymentId, replicaName, outcome: 'deleted' };
  } catch (error) {
    signal.throwIfAborted();
    const shown = core.redactor.text(toErrorRecord(error).message);
    core.emit({
      type: 'note',
      replicaId,
      deploymentId,
      message: `the rehearsal could not be deleted: ${shown}`,
      details: { why },
    });
    return { deploymentId, replicaName, outcome: 'failed', error: shown };
  }
}

/** Rehearsals whose time is over, also those whose time ended while no engine ran. */
export function expiredRehearsals({ store }: Pick<CoreContext, 'store'>, now: number): Deployment[] {
  return store.deployments.list({ limit: 100_000 }).filter((deployment) => {
    const end = rehearsalEnd(deployment);
    return (
      end !== undefined &&
      isTerminalDeployment(deployment.state) &&
      Date.parse(end) <= now &&
      (deployment.state === 'completed' || entriesOf(store, deployment.id).length > 0)
    );
  });
}

const betweenMs = 30_000;
const longestPauseMs = 15 * 60_000;

/** Deletes rehearsals when their time is over, until the signal. A failure is tried again, ever more rarely. */
export async function watchRehearsals(core: CoreContext, clock: Clock, signal: AbortSignal): Promise<void> {
  const failures = new Map<string, { count: number; notBefore: number }>();
  try {
    for (;;) {
      for (const deployment of mayReach(core) ? expiredRehearsals(core, clock.wallTime()) : []) {
        const failed = failures.get(deployment.id);
        if (failed !== undefined && clock.wallTime() < failed.notBefore) continue;
        const { outcome } = await endRehearsal(core, deployment, 'expired', signal);
        const count = (failed?.count ?? 0) + 1;
        if (outcome === 'failed')
          failures.set(deployment.id, {
            count,
            notBefore: clock.wallTime() + Math.min(longestPauseMs, betweenMs * 2 ** count),
          });
        else failures.delete(deployment.id);
      }
      await clock.sleep(betweenMs, signal);
    }
  } catch (error) {
    if (!signal.aborted)
      core.emit({
        type: 'note',
        message: `rehearsals are no longer deleted by themselves until the project is opened again: ${toErrorRecord(error).message}`,
        details: {},
      });
  }
}

/** Without an accepted project nothing may be reached, and the data may belong to another computer. */
function mayReach({ gate, store }: CoreContext): boolean {
  return gate.isProjectAccepted() && !store.identity.isElsewhere();
}
