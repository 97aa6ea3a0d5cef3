import type { DeploymentDetail, DeploymentOptions } from '../../../shared/model/deployment.ts';
import type { CommandContext, ExitStatus, ProjectOptions } from '../command-context.ts';
import { problemText } from '../output/problem-text.ts';
import { displayFor, type RunDisplay } from '../output/run-display.ts';
import { isClean, nothingInterrupted } from './execute-replica.ts';
import { deploymentRuns, followRuns, type StartRuns } from './follow-runs.ts';
import { withProject } from './with-project.ts';

/** Runs a deployment to its end and shows it. Exit status 0 only when it is complete and nothing was left behind. */
export async function deployReplica(
  replica: string,
  asked: DeploymentOptions,
  options: ProjectOptions,
  context: CommandContext,
): Promise<ExitStatus> {
  const display = displayFor(options, context);
  const deployments = await withProject(options, context, async (core) => {
    const [former] = await core.call('deployment.list', { replica, limit: 1 });
    const runs: StartRuns = {
      former: former === undefined ? [] : [former.id],
      start: async () => [await core.call('deployment.create', { replica, options: asked })],
    };
    return followRuns(core, deploymentRuns, runs, display, context);
  });
  return endOfDeployments(deployments, display, options, context);
}

/** Goes on with one interrupted deployment, or with all of them, and shows them to their end. */
export async function resumeDeployments(
  reference: string | undefined,
  options: ProjectOptions,
  context: CommandContext,
): Promise<ExitStatus> {
  const display = displayFor(options, context);
  const deployments = await withProject(options, context, async (core) => {
    const known =
      reference === undefined
        ? await core.call('deployment.list', { limit: 1000 })
        : [await core.call('deployment.show', { deployment: reference })];
    const former = known.filter(({ state }) => state === 'interrupted' || state === 'cancelling').map(({ id }) => id);
    const start = () => core.call('deployment.resume', reference === undefined ? {} : { deployment: reference });
    return followRuns(core, deploymentRuns, { former, start }, display, context);
  });
  if (deployments.length === 0 && options.json !== true) context.stdout.write(nothingInterrupted);
  return endOfDeployments(deployments, display, options, context);
}

/** Says how deployments ended. Exit status 0 only when all are complete and nothing was left behind. */
function endOfDeployments(
  deployments: readonly DeploymentDetail[],
  display: RunDisplay,
  options: ProjectOptions,
  context: CommandContext,
): ExitStatus {
  for (const deployment of deployments) {
    for (const execution of deployment.executionIds) display.end(execution);
    if (options.json === true) {
      context.stdout.write(`${JSON.stringify({ type: 'result', deployment })}\n`);
    } else {
      const { server, state } = deployment;
      const where =
        server === undefined || state !== 'completed' ? '' : `: ${server.name} at ${server.addresses.join(', ')}`;
      context.stdout.write(`Deployment ${deployment.number} of ${deployment.replicaName} is ${state}${where}.\n`);
      context.stderr.write(problemText(deployment));
    }
  }
  return deployments.every(isClean) ? 0 : 1;
}
