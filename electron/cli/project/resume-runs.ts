import type { CommandContext, ExitStatus } from '../command-context.ts';
import { displayFor } from '../output/run-display.ts';
import { endOfDeployments } from './deploy-replica.ts';
import { endOfExecutions } from './execute-replica.ts';
import { deploymentRuns, executionRuns, followRuns } from './follow-runs.ts';
import type { ProjectOptions } from './project-options.ts';
import { withProject } from './with-project.ts';

const nothing = 'Nothing was interrupted.\n';

/** Goes on with one interrupted execution, or with all of them, and shows them to their end. */
export async function resumeExecutions(reference: string | undefined, options: ProjectOptions, context: CommandContext): Promise<ExitStatus> {
  const names = new Map<string, string>();
  const display = displayFor(options, context, (execution) => names.get(execution));
  const executions = await withProject(options, context, async (core) => {
    const replicas = new Map((await core.call('replica.list', {})).map(({ id, name }) => [id, name]));
    const known = reference === undefined ? await core.call('execution.list', { limit: 1000 }) : [await core.call('execution.show', { execution: reference })];
    for (const { id, replicaId } of known) names.set(id, replicas.get(replicaId) ?? replicaId);
    const former = known.filter(({ state }) => state === 'interrupted' || state === 'cancelling').map(({ id }) => id);
    const start = () => core.call('execution.resume', reference === undefined ? {} : { execution: reference });
    return followRuns(core, executionRuns, { former, start }, display, context);
  });
  if (executions.length === 0 && options.json !== true) context.stdout.write(nothing);
  return endOfExecutions(executions, ({ id }) => names.get(id) ?? id, display, options, context);
}

/** Goes on with one interrupted deployment, or with all of them, and shows them to their end. */
export async function resumeDeployments(reference: string | undefined, options: ProjectOptions, context: CommandContext): Promise<ExitStatus> {
  const display = displayFor(options, context);
  const deployments = await withProject(options, context, async (core) => {
    const known = reference === undefined ? await core.call('deployment.list', { limit: 1000 }) : [await core.call('deployment.show', { deployment: reference })];
    const former = known.filter(({ state }) => state === 'interrupted' || state === 'cancelling').map(({ id }) => id);
    const start = () => core.call('deployment.resume', reference === undefined ? {} : { deployment: reference });
    return followRuns(core, deploymentRuns, { former, start }, display, context);
  });
  if (deployments.length === 0 && options.json !== true) context.stdout.write(nothing);
  return endOfDeployments(deployments, display, options, context);
}
