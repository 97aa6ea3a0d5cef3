import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Deployment } from '../../../../shared/model/deployment.ts';
import { withoutEscapes } from '../../deployments/console-text.ts';
import { deploymentGraph } from '../../deployments/deployment-graph.ts';
import { isWaiting } from '../../runs/run-service.ts';
import {
  deploymentOf,
  endpointOf,
  openDestination,
  replicaOf,
  using,
  type CallsOf,
  type CoreContext,
  type Handlers,
} from '../core-context.ts';
import { deleteDeployment, refuseUndeletable, resourcesOf, runOf } from '../deployment-deletion.ts';
import { startDeployment } from '../life/purposes.ts';
import { graphTasks } from './executions.ts';
import { checkLoginUses } from '../trust/check-logins.ts';
import { acceptUses } from '../trust/entered-uses.ts';
import { diskKeyUse } from '../trust/gate.ts';

/** How much of a console log is returned, in characters. */
const consoleLength = 64_000;

export const deploymentCalls: Handlers<CallsOf<'deployment'>> = {
  async 'deployment.create'(core, { replica, options }) {
    core.gate.requireProject();
    acceptUses(core, [
      ...(options.luksKeys ?? []).map(({ secret }) => diskKeyUse(secret)),
      ...(options.checks ?? []).flatMap(checkLoginUses).map(({ key }) => key),
    ]);
    return startDeployment(core, replicaOf(core, replica), options);
  },

  async 'deployment.list'(core, { replica, limit, latest }) {
    if (latest && replica === undefined)
      return core.store.deployments.listLatest().map((deployment) => withPosition(core, deployment));
    const filter = replica === undefined ? { limit } : { limit, replicaId: replicaOf(core, replica).id };
    return core.store.deployments.list(filter).map((deployment) => withPosition(core, deployment));
  },

  async 'deployment.show'(core, { deployment: reference }) {
    const deployment = deploymentOf(core, reference);
    const { guest, boot, checks } = core.store.deployments.facts(deployment.id);
    return {
      ...withPosition(core, deployment),
      tasks: graphTasks(core.store.deploymentTasks.list(deployment.id), deploymentGraph(deployment.options)),
      ...(guest === undefined ? {} : { guest }),
      ...(boot === undefined ? {} : { boot }),
      ...(checks === undefined ? {} : { checks: [...checks] }),
      resources: resourcesOf(core, deployment),
    };
  },

  async 'deployment.cancel'(core, { deployment, force }) {
    core.deployments.runs.cancel(deploymentOf(core, deployment).id, force);
    return {};
  },

  async 'deployment.resume'(core, { deployment: reference }) {
    if (reference === undefined && core.fleet !== undefined) return [];
    if (reference === undefined)
      return core.gate.isProjectAccepted() ? [...core.deployments.runs.resumeInterrupted()] : [];
    const deployment = deploymentOf(core, reference);
    if (
      deployment.state !== 'interrupted' &&
      deployment.state !== 'cancelling' &&
      !(core.fleet !== undefined && isWaiting(deployment))
    ) {
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
      if (destination.deployment?.consoleLog === undefined)
        throw new CausewayError('deployment.not-supported', 'the destination has no consoles');
      const text = withoutEscapes(await destination.deployment.consoleLog(server.id, run, signal));
      return { text: core.redactor.text(text.slice(-consoleLength)) };
    });
  },

  async 'deployment.delete'(core, { deployment: reference, dryRun }, signal) {
    const deployment = deploymentOf(core, reference);
    refuseUndeletable(deployment);
    if (dryRun) return resourcesOf(core, deployment);
    return deleteDeployment(core, deployment, 'asked', signal);
  },
};

function withPosition(core: CoreContext, stored: Deployment): Deployment {
  const deployment = core.deployments.runs.asShown(stored);
  const queuePosition = core.deployments.runs.queue.positionOf(deployment.id);
  return queuePosition === undefined ? deployment : { ...deployment, queuePosition };
}
