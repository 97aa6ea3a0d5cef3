import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { isTerminalDeployment, type Deployment } from '../../../../shared/model/deployment.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import type { LedgerItem } from '../../../../shared/model/ledger.ts';
import { withoutEscapes } from '../../deployments/console-text.ts';
import { deploymentGraph } from '../../deployments/deployment-graph.ts';
import { entriesOf } from '../../deployments/leftover-resources.ts';
import type { DeploymentRun } from '../../ports/deployment-platform.ts';
import { ledgerScope } from '../../store/ledger.ts';
import { deploymentOf, endpointOf, openDestination, replicaOf, using, type CallsOf, type CoreContext, type Handlers } from '../core-context.ts';
import { replicaEnvironments } from '../replica-environments.ts';
import { graphTasks } from './executions.ts';
import { acceptUses } from '../trust/entered-uses.ts';
import { diskKeyUse } from '../trust/gate.ts';

/** How much of a console log is returned, in characters. */
const consoleLength = 64_000;

export const deploymentCalls: Handlers<CallsOf<'deployment'>> = {
  async 'deployment.create'(core, { replica, options }) {
    core.gate.requireProject();
    acceptUses(core, (options.luksKeys ?? []).map(({ secret }) => diskKeyUse(secret)));
    return core.deployments.deploy(replicaOf(core, replica), options);
  },

  async 'deployment.list'(core, { replica, limit, latest }) {
    if (latest && replica === undefined) return core.store.deployments.listLatest().map((deployment) => withPosition(core, deployment));
    const filter = replica === undefined ? { limit } : { limit, replicaId: replicaOf(core, replica).id };
    return core.store.deployments.list(filter).map((deployment) => withPosition(core, deployment));
  },

  async 'deployment.show'(core, { deployment: reference }) {
    const deployment = deploymentOf(core, reference);
    const { guest, boot } = core.store.deployments.facts(deployment.id);
    return {
      ...withPosition(core, deployment),
      tasks: graphTasks(core.store.deploymentTasks.list(deployment.id), deploymentGraph(deployment.options)),
      ...(guest === undefined ? {} : { guest }),
      ...(boot === undefined ? {} : { boot }),
      resources: resourcesOf(core, deployment),
    };
  },

  async 'deployment.cancel'(core, { deployment, force }) {
    core.deployments.runs.cancel(deploymentOf(core, deployment).id, force);
    return {};
  },

  async 'deployment.resume'(core, { deployment: reference }) {
    if (reference === undefined) return core.gate.isProjectAccepted() ? [...core.deployments.runs.resumeInterrupted()] : [];
    const deployment = deploymentOf(core, reference);
    if (deployment.state !== 'interrupted' && deployment.state !== 'cancelling') {
      throw new CausewayError('engine.not-active', `deployment ${deployment.id} is ${deployment.state}`);
    }
    return [core.deployments.deploy(replicaOf(core, deployment.replicaId), {})];
  },

  async 'deployment.events'(core, { deployment, after, limit }) {
    return core.store.events.listAfter(after, { limit, deploymentId: deploymentOf(core, deployment).id });
  },

  async 'deployment.console'(core, { deployment: reference }, signal) {
    const deployment = deploymentOf(core, reference);
    const { server } = deployment;
    if (server === undefined) throw new CausewayError('deployment.no-server', `deployment ${deployment.id}`);
    const run = await runOf(core, deployment);
    return using(openDestination(core, endpointOf(core, deployment.destinationEndpointId)), async (destination) => {
      if (destination.deployment?.consoleLog === undefined) throw new CausewayError('deployment.not-supported', 'the destination has no consoles');
      const text = withoutEscapes(await destination.deployment.consoleLog(server.id, run, signal));
      return { text: core.redactor.text(text.slice(-consoleLength)) };
    });
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

function withPosition(core: CoreContext, stored: Deployment): Deployment {
  const deployment = core.deployments.runs.asShown(stored);
  const queuePosition = core.deployments.runs.queue.positionOf(deployment.id);
  return queuePosition === undefined ? deployment : { ...deployment, queuePosition };
}

/** The destination's view of a deployment that has ended. */
async function runOf(core: CoreContext, deployment: Deployment): Promise<DeploymentRun> {
  return {
    deploymentId: deployment.id,
    replicaId: deployment.replicaId,
    executionId: deployment.id,
    vm: core.store.deployments.facts(deployment.id).vm ?? { id: deployment.id, name: deployment.replicaName, os_type: 'linux', disks: [], nics: [] },
    environment: await environmentOf(core, deployment),
    ledger: ledgerScope(core.store.ledger, {
      endpointId: deployment.destinationEndpointId, replicaId: deployment.replicaId, executionId: deployment.id,
    }),
    note: (message, details = {}) => core.emit({ type: 'note', replicaId: deployment.replicaId, deploymentId: deployment.id, message, details }),
    preparationRole: 'osmorphing-linux',
  };
}

async function removeResources(core: CoreContext, deployment: Deployment, signal: AbortSignal): Promise<void> {
  const endpoint = endpointOf(core, deployment.destinationEndpointId);
  const run = await runOf(core, deployment);
  await using(openDestination(core, endpoint), async (destination) => {
    // A worker that was kept for a look at the guest holds the volumes.
    for (const role of ['osmorphing-linux', 'osmorphing-windows'] as const) await destination.stopWorker(run, role, signal);
    await destination.deployment?.rollBack(run, signal);
  });
  const left = entriesOf(core.store, deployment.id);
  if (left.length > 0) throw new CausewayError('engine.left-behind', `${left.length} resources of deployment ${deployment.id} still exist`);
}

/** The replica's, as long as there is one; what is in the ledger says itself where it is. */
async function environmentOf(core: CoreContext, deployment: Deployment): Promise<JsonObject> {
  const replica = core.store.replicas.find(deployment.replicaId);
  if (replica === undefined) return {};
  return replicaEnvironments(core, replica).opened('destination');
}
