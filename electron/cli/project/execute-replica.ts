import type { CoreClient } from '../../../shared/contract/core-client.ts';
import { isTerminalExecution, type Execution, type ExecutionOptions } from '../../../shared/model/execution.ts';
import { parseProfile, parseRate } from '../../engine/bandwidth/index.ts';
import { UsageError, type CommandContext, type ExitStatus } from '../command-context.ts';
import { problemText } from '../output/execution-text.ts';
import { jsonDisplay, plainDisplay, terminalDisplay, type RunDisplay } from '../output/run-display.ts';
import { cancelOnInterrupt } from './cancel-on-interrupt.ts';
import type { ProjectOptions } from './project-options.ts';
import { withProject } from './with-project.ts';

export interface ExecuteOptions extends ProjectOptions {
  readonly shutdownVm?: boolean;
  readonly parallelDisks?: string;
  readonly verify: 'none' | 'written' | 'all';
  readonly limit?: string;
  readonly limitProfile?: string;
}

/** Runs an execution to its end and shows it. Exit status 0 only when it is complete and nothing was left behind. */
export async function executeReplica(replica: string, options: ExecuteOptions, context: CommandContext): Promise<ExitStatus> {
  const asked = executionOptions(options);
  const display: RunDisplay =
    options.json === true ? jsonDisplay(context) : context.stdout.isTTY === true ? terminalDisplay(context) : plainDisplay(context);
  const execution = await withProject(options, context, (core) => follow(core, replica, asked, display, context));
  display.end(execution);
  if (options.json !== true) {
    context.stdout.write(`Execution ${execution.number} of ${replica} is ${execution.state}.\n`);
    context.stderr.write(problemText(execution));
  }
  return execution.state === 'completed' && execution.leftBehind === 0 && execution.error === undefined ? 0 : 1;
}

/** @throws UsageError */
export function bandwidthOf(options: { limit?: string; limitProfile?: string }): { bandwidthLimit?: number; bandwidthProfile?: string } {
  if (options.limitProfile !== undefined) parseProfile(options.limitProfile);
  const rate = options.limit === undefined ? undefined : parseRate(options.limit);
  return {
    ...(rate === undefined ? {} : { bandwidthLimit: rate }),
    ...(options.limitProfile === undefined ? {} : { bandwidthProfile: options.limitProfile }),
  };
}

/** @throws UsageError */
export function executionOptions(options: ExecuteOptions): ExecutionOptions {
  const parallelDisks = options.parallelDisks === undefined ? undefined : Number(options.parallelDisks);
  if (parallelDisks !== undefined && !(Number.isInteger(parallelDisks) && parallelDisks >= 1 && parallelDisks <= 16)) {
    throw new UsageError('--parallel-disks wants a number from 1 to 16');
  }
  return {
    verify: options.verify,
    ...(options.shutdownVm === true ? { shutdownVm: true } : {}),
    ...(parallelDisks === undefined ? {} : { parallelDisks }),
    ...bandwidthOf(options),
  };
}

/** Starts, shows every event and the numbers, and resolves with the final state. */
async function follow(core: CoreClient, replica: string, options: ExecutionOptions, display: RunDisplay, context: CommandContext): Promise<Execution> {
  const over = Promise.withResolvers<void>();
  const followed: { id?: string } = {};
  let seen = 0;
  const stopProgress = core.subscribe('execution.progress', (progress) => {
    if (progress.executionId === followed.id) display.progress(progress);
  });
  // What happened before the answer to the call was here is read from the store; ids keep it in order and without repetition.
  const catchUp = async (): Promise<void> => {
    const { id } = followed;
    if (id === undefined) return;
    for (const event of await core.call('execution.events', { execution: id, after: seen })) {
      if (event.id <= seen) continue;
      seen = event.id;
      display.event(event);
    }
    const { state } = await core.call('execution.show', { execution: id });
    if (isTerminalExecution(state) || state === 'interrupted') over.resolve();
  };
  let reading: Promise<void> = Promise.resolve();
  const read = (): void => void (reading = reading.then(catchUp).catch(over.reject));
  const stopEvents = core.subscribe('execution.event', (event) => {
    if (event.executionId === followed.id) read();
  });
  const after = (await core.call('replica.show', { replica })).lastExecutionId;
  const known = after === undefined ? [] : await core.call('execution.events', { execution: after, limit: 10_000 });
  seen = known.at(-1)?.id ?? 0;
  const { id } = await core.call('replica.execute', { replica, options });
  followed.id = id;
  const stopCancel = cancelOnInterrupt(context, (force) => core.call('execution.cancel', { execution: id, force }));
  read();
  try {
    await over.promise;
    await reading;
    return await core.call('execution.show', { execution: id });
  } finally {
    stopCancel();
    stopEvents();
    stopProgress();
  }
}
