import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Replica } from '../../../../shared/model/replica.ts';
import { deleteDeployment } from '../deployment-deletion.ts';
import { endpointOf, openSource, using, type CoreContext } from '../core-context.ts';
import { replicaEnvironments } from '../replica-environments.ts';
import { currentLife } from './life-facts.ts';

/**
 * Takes a cut-over back. The deployed VM goes first: two machines with the same addresses must never run together. Each step may be
 * repeated, so that an interrupted roll-back is carried on by calling it again.
 * @throws CausewayError `life.wrong-state`, `life.source-not-started`, and what deletions throw
 */
export async function rollBack(
  core: CoreContext,
  replica: Replica,
  by: string | undefined,
  sourceStartedByHand: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { state, cutOver } = currentLife(core, replica);
  if (cutOver === undefined || !['running-at-destination', 'cut-over-failed', 'rolling-back'].includes(state)) {
    throw new CausewayError(
      'life.wrong-state',
      `replica ${replica.name} is ${state}: there is no cut-over to roll back${state === 'cutting-over' ? '. Cancel the deployment first' : ''}`,
    );
  }
  const { deploymentId } = cutOver;
  const deployment = core.store.deployments.find(deploymentId);
  if (deployment === undefined) throw new CausewayError('engine.not-found', `deployment ${deploymentId}`);
  if (state !== 'rolling-back') core.evidence.life(replica, 'roll-back-started', by, { deploymentId, from: state });
  await deleteDeployment(core, deployment, 'rolled back', signal);
  if (!cutOver.sourceStopped) {
    core.evidence.life(replica, 'rolled-back', by, { deploymentId, source: 'was not stopped' });
    return;
  }
  const records = core.store.life.list(replica.id);
  if (!records.some(({ kind, details }) => kind === 'source-started' && details['deploymentId'] === deploymentId)) {
    if (!sourceStartedByHand) await startSource(core, replica, signal);
    core.evidence.life(replica, 'source-started', by, { deploymentId, byHand: sourceStartedByHand });
  }
  core.evidence.life(replica, 'rolled-back', by, {
    deploymentId,
    source: sourceStartedByHand ? 'started by hand' : 'started',
  });
}

async function startSource(core: CoreContext, replica: Replica, signal: AbortSignal): Promise<void> {
  const note = (message: string, details = {}): void =>
    core.emit({ type: 'note', replicaId: replica.id, message, details });
  const opened = openSource(core, endpointOf(core, replica.sourceEndpointId), { replicaId: replica.id, note });
  await using(opened, async (source) => {
    if (source.start === undefined)
      throw new CausewayError('life.source-not-started', `the source of replica ${replica.name} cannot start VMs`);
    await source.start(replica.vmId, await replicaEnvironments(core, replica).opened('source'), signal);
  });
}
