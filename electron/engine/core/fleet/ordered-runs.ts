import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Execution, ExecutionOptions } from '../../../../shared/model/execution.ts';
import type { Replica } from '../../../../shared/model/replica.ts';
import type { WaveAction } from '../../../../shared/model/wave-action.ts';
import type { MemberRuns } from '../../waves/wave-service.ts';
import { refuseFinalised } from '../life/purposes.ts';
import type { CoreContext } from '../core-context.ts';
import { claim } from './claims.ts';
import { usesOf } from './open-runs.ts';

/** What passes by itself: the next look tries again. */
const passing: ReadonlySet<string> = new Set(['fleet.claimed-elsewhere', 'fleet.claim-lost', 'fleet.unreachable']);

/** Records an execution that waits for whichever member the fleet chooses. Under the replica's claim, which is given back. */
export async function orderExecution(
  core: CoreContext,
  replica: Replica,
  options: ExecutionOptions,
  signal: AbortSignal,
): Promise<Execution> {
  if (core.fleet === undefined) throw new CausewayError('general.invalid-input', 'this project is in no fleet');
  refuseFinalised(core, replica);
  core.deployments.refuseExecution(replica);
  const execution = core.executions.order(replica, {
    ...options,
    placement: { ...options.placement, uses: usesOf(core, replica) },
  });
  await core.fleet.release(replica.id, signal);
  return core.store.executions.find(execution.id) ?? execution;
}

/**
 * The members of waves in a fleet: what a wave starts waits for whichever member the fleet chooses. Asking for it takes a while; whoever asks once
 * more meanwhile is told nothing new.
 *
 * @param begin records it under the replica's claim, throwing what keeps it from being started
 */
export function orderedRuns(begin: MemberRuns, core: () => CoreContext): MemberRuns {
  const asked = new Set<string>();
  const refused = new Map<string, unknown>();
  const never = new AbortController().signal;

  function isWanted(action: WaveAction, replicaId: string): boolean {
    const { waveRuns } = core().store;
    return waveRuns
      .listOpen()
      .some(
        (run) =>
          run.action === action &&
          run.state !== 'cancelling' &&
          waveRuns.members(run.id).some((member) => member.replicaId === replicaId && member.state === 'starting'),
      );
  }

  async function order(key: string, ...[action, replicaId, options]: Parameters<MemberRuns['start']>): Promise<void> {
    try {
      await claim(core(), replicaId, never);
      try {
        // The wave may have been cancelled meanwhile, or be led by another member that has asked for it.
        if (isWanted(action, replicaId)) begin.start(action, replicaId, options);
      } finally {
        await core().fleet?.release(replicaId, never);
      }
    } catch (error) {
      if (!(error instanceof CausewayError && passing.has(error.code))) refused.set(key, error);
    } finally {
      asked.delete(key);
    }
  }

  return {
    ...begin,
    start(action, replicaId, options) {
      const key = `${action} ${replicaId}`;
      if (refused.has(key)) {
        const reason = refused.get(key);
        refused.delete(key);
        throw reason;
      }
      if (asked.has(key)) return undefined;
      asked.add(key);
      void order(key, action, replicaId, options).then(() => {
        // What was passing is tried again at the next look.
        if (refused.has(key) || begin.latest(action, replicaId) !== undefined) core().waves.tick();
      });
      return undefined;
    },
  };
}
