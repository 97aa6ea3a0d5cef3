import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { isTerminalDeployment, type Deployment } from '../../../../shared/model/deployment.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import type { LedgerItem } from '../../../../shared/model/ledger.ts';
import { entriesOf } from '../../deployments/entries-left.ts';
import type { DeploymentRun } from '../../ports/deployment-platform.ts';
import { ledgerScope } from '../../store/ledger.ts';
import { deploymentOf, endpointOf, openDestination, replicaOf, using, type CoreContext } from '../core-context.ts';
import { effectiveValues } from '../environments.ts';
import { resolveSecrets } from '../secret-references.ts';
import type { CallsOf, Handlers } from './handler.ts';

export const deploymentCalls: Handlers<CallsOf<'deployment'>> = {
  async 'deployment.create'(core, { replica, options }) {
    return core.deployments.deploy(replicaOf(core, replica), options);
  },

  async 'deployment.list'(core, { replica, limit }) {
    return core.store.deployments.list(replica === undefined ? { limit } : { limit, replicaId: replicaOf(core, replica).id });
  },

  async 'deployment.show'(core, { deployment: reference }) {
    const deployment = deploymentOf(core, reference);
    const { guest, boot } = core.store.deployments.facts(deployment.id);
    return {
      ...deployment,
      tasks: core.store.deploymentTasks.list(deployment.id).map(({ result: _result, ...task }) => task),
      ...(guest === undefined ? {} : { guest }),
      ...(boot === undefined ? {} : { boot }),
      resources: resourcesOf(core, deployment),
    };
  },

  async 'deployment.cancel'(core, { deployment, force }) {
    core.deployments.cancel(deploymentOf(core, deployment).id, force);
    return {};
  },

  async 'deployment.resume'(core, { deployment: reference }) {
    if (reference === undefined) return [...core.deployments.resumeInterrupted()];
    const deployment = deploymentOf(core, reference);
    if (deployment.state !== 'interrupted' && deployment.state !== 'cancelling') {
      throw new CausewayError('engine.not-active', `deployment ${deployment.id} is ${deployment.state}`);
    }
    return [core.deployments.deploy(replicaOf(core, deployment.replicaId), {})];
  },

  async 'deployment.events'(core, { deployment, after, limit }) {
    return core.store.events.listAfter(after, { limit, deploymentId: deploymentOf(core, deployment).id });
  },

  async 'deployment.delete'(core, { deployment: reference, dryRun }, signal) {
    const deployment = deploymentOf(core, reference);
    if (!isTerminalDeployment(deployment.state)) {
      throw new CausewayError('deployment.not-deletable', `deployment ${deployment.id} is ${deployment.state}`);
    }
    const resources = resourcesOf(core, deployment);
    if (dryRun) return resources;
    if (resources.length > 0) await removeResources(core, deployment, signal);
    core.store.deployments.setState(deployment.id, 'deleted');
    return resources;
  },
};

function resourcesOf(core: CoreContext, deployment: Deployment): LedgerItem[] {
  const endpointName = core.store.endpoints.find(deployment.destinationEndpointId)?.name;
  return entriesOf(core.store, deployment.id).map((entry) => ({ ...entry, ...(endpointName === undefined ? {} : { endpointName }) }));
}

async function removeResources(core: CoreContext, deployment: Deployment, signal: AbortSignal): Promise<void> {
  const endpoint = endpointOf(core, deployment.destinationEndpointId);
  const run: DeploymentRun = {
    deploymentId: deployment.id,
    replicaId: deployment.replicaId,
    executionId: deployment.id,
    vm: core.store.deployments.facts(deployment.id).vm ?? { id: deployment.id, name: deployment.replicaName, os_type: 'linux', disks: [], nics: [] },
    environment: await environmentOf(core, deployment),
    ledger: ledgerScope(core.store.ledger, { endpointId: endpoint.id, replicaId: deployment.replicaId, executionId: deployment.id }),
    note: () => undefined,
  };
  await using(openDestination(core, endpoint), async (destination) => {
    // A worker that was kept for a look at the guest holds the volumes.
    await destination.stopWorker(run, run.vm.os_type === 'windows' ? 'osmorphing-windows' : 'osmorphing-linux', signal);
    await destination.deployment?.rollBack(run, signal);
  });
  const left = entriesOf(core.store, deployment.id);
  if (left.length > 0) throw new CausewayError('engine.left-behind', `${left.length} resources of deployment ${deployment.id} are still there`);
}

/** The replica's, as long as there is one; what is in the ledger says itself where it is. */
async function environmentOf(core: CoreContext, deployment: Deployment): Promise<JsonObject> {
  const replica = core.store.replicas.find(deployment.replicaId);
  if (replica === undefined) return {};
  const { plugin } = endpointOf(core, replica.destinationEndpointId);
  const values = effectiveValues(plugin, 'destination', replica.destinationEnvironment, replica.providerConfiguration);
  return resolveSecrets(values, core.vault, (name, secret) => core.redactor.learn(name, secret));
}
