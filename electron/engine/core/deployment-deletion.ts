import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { isTerminalDeployment, type Deployment } from '../../../shared/model/deployment.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { LedgerItem } from '../../../shared/model/ledger.ts';
import { entriesOf } from '../deployments/leftover-resources.ts';
import type { DeploymentRun } from '../ports/deployment-platform.ts';
import { ledgerScope } from '../store/ledger.ts';
import { endpointOf, openDestination, using, type CoreContext } from './core-context.ts';
import { replicaEnvironments } from './replica-environments.ts';

/**
 * Deletes what a deployment that has ended made. Idempotent.
 * @param why for the record
 * @throws CausewayError `deployment.not-deletable`, `engine.left-behind`
 */
export async function deleteDeployment(
  core: CoreContext,
  deployment: Deployment,
  why: string,
  signal: AbortSignal,
): Promise<LedgerItem[]> {
  refuseUndeletable(deployment);
  const resources = resourcesOf(core, deployment);
  if (resources.length > 0) await removeResources(core, deployment, signal);
  if (deployment.state !== 'deleted') {
    core.store.deployments.setState(deployment.id, 'deleted');
    core.evidence.deploymentDeleted(deployment, why);
  }
  return resources;
}

/** @throws CausewayError `deployment.not-deletable` */
export function refuseUndeletable({ id, state }: Deployment): void {
  if (!isTerminalDeployment(state)) throw new CausewayError('deployment.not-deletable', `deployment ${id} is ${state}`);
}

export function resourcesOf(core: CoreContext, deployment: Deployment): LedgerItem[] {
  const endpointName = core.store.endpoints.find(deployment.destinationEndpointId)?.name;
  return entriesOf(core.store, deployment.id).map((entry) => ({
    ...entry,
    ...(endpointName === undefined ? {} : { endpointName }),
  }));
}

/** The destination's view of a deployment that has ended. */
export async function runOf(core: CoreContext, deployment: Deployment): Promise<DeploymentRun> {
  return {
    deploymentId: deployment.id,
    replicaId: deployment.replicaId,
    executionId: deployment.id,
    vm: core.store.deployments.facts(deployment.id).vm ?? {
      id: deployment.id,
      name: deployment.replicaName,
      os_type: 'linux',
      disks: [],
      nics: [],
    },
    environment: await environmentOf(core, deployment),
    ledger: ledgerScope(core.store.ledger, {
      endpointId: deployment.destinationEndpointId,
      replicaId: deployment.replicaId,
      executionId: deployment.id,
    }),
    note: (message, details = {}) =>
      core.emit({ type: 'note', replicaId: deployment.replicaId, deploymentId: deployment.id, message, details }),
    preparationRole: 'osmorphing-linux',
  };
}

async function removeResources(core: CoreContext, deployment: Deployment, signal: AbortSignal): Promise<void> {
  const endpoint = endpointOf(core, deployment.destinationEndpointId);
  const run = await runOf(core, deployment);
  await using(openDestination(core, endpoint), async (destination) => {
    // A worker that was kept for a look at the guest holds the volumes.
    for (const role of ['osmorphing-linux', 'osmorphing-windows'] as const)
      await destination.stopWorker(run, role, signal);
    await destination.deployment?.rollBack(run, signal);
  });
  const left = entriesOf(core.store, deployment.id);
  if (left.length > 0)
    throw new CausewayError(
      'engine.left-behind',
      `${left.length} resources of deployment ${deployment.id} still exist`,
    );
}

/** The replica's, as long as there is one; what is in the ledger says itself where it is. */
async function environmentOf(core: CoreContext, deployment: Deployment): Promise<JsonObject> {
  const replica = core.store.replicas.find(deployment.replicaId);
  if (replica === undefined) return {};
  return replicaEnvironments(core, replica).opened('destination');
}
