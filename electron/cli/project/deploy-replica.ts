import type { CoreClient } from '../../../shared/contract/core-client.ts';
import { isTerminalDeployment, type DeploymentDetail, type DeploymentOptions } from '../../../shared/model/deployment.ts';
import type { CommandContext, ExitStatus } from '../command-context.ts';
import { problemText } from '../output/execution-text.ts';
import { jsonDisplay, plainDisplay, terminalDisplay, type RunDisplay } from '../output/run-display.ts';
import { cancelOnInterrupt } from './cancel-on-interrupt.ts';
import type { ProjectOptions } from './project-options.ts';
import { withProject } from './with-project.ts';

/** Runs a deployment to its end and shows it. Exit status 0 only when it is complete and nothing was left behind. */
export async function deployReplica(replica: string, asked: DeploymentOptions, options: ProjectOptions, context: CommandContext): Promise<ExitStatus> {
  const display: RunDisplay =
    options.json === true ? jsonDisplay(context) : context.stdout.isTTY === true ? terminalDisplay(context) : plainDisplay(context);
  const deployment = await withProject(options, context, (core) => follow(core, replica, asked, display, context));
  if (options.json === true) {
    context.stdout.write(`${JSON.stringify({ type: 'result', deployment })}\n`);
  } else {
    const where = deployment.server === undefined || deployment.state !== 'completed' ? '' : `: ${deployment.server.name} at ${deployment.server.addresses.join(', ')}`;
    context.stdout.write(`Deployment ${deployment.number} of ${replica} is ${deployment.state}${where}.\n`);
    context.stderr.write(problemText(deployment));
  }
  return deployment.state === 'completed' && deployment.leftBehind === 0 && deployment.error === undefined ? 0 : 1;
}

/** Starts, shows every event and the numbers of a migration's executions, and resolves with the final state. */
async function follow(core: CoreClient, replica: string, options: DeploymentOptions, display: RunDisplay, context: CommandContext): Promise<DeploymentDetail> {
  const over = Promise.withResolvers<void>();
  const followed: { id?: string } = {};
  const executions = new Set<string>();
  let seen = 0;
  const stopProgress = core.subscribe('execution.progress', (progress) => {
    if (executions.has(progress.executionId)) display.progress(progress);
  });
  // What happened before the answer to the call was here is read from the store; ids keep it in order and without repetition.
  const catchUp = async (): Promise<void> => {
    const { id } = followed;
    if (id === undefined) return;
    for (const event of await core.call('deployment.events', { deployment: id, after: seen })) {
      if (event.id <= seen) continue;
      seen = event.id;
      display.event(event);
    }
    const { state, executionIds } = await core.call('deployment.show', { deployment: id });
    for (const execution of executionIds) executions.add(execution);
    if (isTerminalDeployment(state) || state === 'interrupted') over.resolve();
  };
  let reading: Promise<void> = Promise.resolve();
  const read = (): void => void (reading = reading.then(catchUp).catch(over.reject));
  const stopEvents = core.subscribe('execution.event', (event) => {
    if (event.deploymentId !== undefined && event.deploymentId === followed.id) read();
    else if (event.executionId !== undefined && executions.has(event.executionId)) display.event(event);
  });
  const [former] = await core.call('deployment.list', { replica, limit: 1 });
  // One that goes on after an interruption was shown up to there already.
  const known = former?.state === 'interrupted' ? await core.call('deployment.events', { deployment: former.id, limit: 10_000 }) : [];
  seen = known.at(-1)?.id ?? 0;
  const { id } = await core.call('deployment.create', { replica, options });
  followed.id = id;
  const stopCancel = cancelOnInterrupt(context, (force) => core.call('deployment.cancel', { deployment: id, force }));
  read();
  try {
    await over.promise;
    await reading;
    return await core.call('deployment.show', { deployment: id });
  } finally {
    stopCancel();
    stopEvents();
    stopProgress();
  }
}
