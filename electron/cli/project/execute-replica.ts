import type { ExecutionDetail, ExecutionOptions } from '../../../shared/model/execution.ts';
import { parseProfile, parseRate } from '../../engine/bandwidth/index.ts';
import { UsageError, type CommandContext, type ExitStatus, type ProjectOptions } from '../command-context.ts';
import { print } from '../output/print.ts';
import { problemText } from '../output/problem-text.ts';
import { displayFor, type RunDisplay } from '../output/run-display.ts';
import { executionRuns, followRuns, type StartRuns } from './follow-runs.ts';
import { withProject } from './with-project.ts';

export interface ExecuteOptions extends ProjectOptions {
  readonly shutdownVm?: boolean;
  readonly parallelDisks?: string;
  readonly verify: 'none' | 'written' | 'all';
  readonly limit?: string;
  readonly limitProfile?: string;
  readonly inFleet?: boolean;
  readonly urgent?: boolean;
}

export const nothingInterrupted = 'Nothing was interrupted.\n';

/** Runs an execution to its end and shows it. Exit status 0 only when it is complete and nothing was left behind. */
export async function executeReplica(
  replica: string,
  options: ExecuteOptions,
  context: CommandContext,
): Promise<ExitStatus> {
  const asked = executionOptions(options);
  if (options.urgent === true && options.inFleet !== true) throw new UsageError('--urgent belongs to --in-fleet');
  if (options.inFleet === true) return executeInFleet(replica, asked, options, context);
  const display = displayFor(options, context);
  const executions = await withProject(options, context, async (core) => {
    const last = (await core.call('replica.show', { replica })).lastExecutionId;
    const runs: StartRuns = {
      former: last === undefined ? [] : [last],
      start: async () => [await core.call('replica.execute', { replica, options: asked })],
    };
    return followRuns(core, executionRuns, runs, display, context);
  });
  return endOfExecutions(executions, () => replica, display, options, context);
}

async function executeInFleet(
  replica: string,
  asked: ExecutionOptions,
  options: ExecuteOptions,
  context: CommandContext,
): Promise<ExitStatus> {
  const execution = await withProject(options, context, (core) =>
    core.call('replica.execute', {
      replica,
      inFleet: true,
      options: { ...asked, ...(options.urgent === true ? { placement: { urgent: true } } : {}) },
    }),
  );
  print(
    context,
    options,
    [execution],
    () =>
      `Execution ${execution.number} of ${replica} waits for a member of the fleet. To follow it: causeway execution show ${execution.id}\n`,
  );
  return 0;
}

/** Goes on with one interrupted execution, or with all of them, and shows them to their end. */
export async function resumeExecutions(
  reference: string | undefined,
  options: ProjectOptions,
  context: CommandContext,
): Promise<ExitStatus> {
  const names = new Map<string, string>();
  const display = displayFor(options, context, (execution) => names.get(execution));
  const executions = await withProject(options, context, async (core) => {
    const replicas = new Map((await core.call('replica.list', {})).map(({ id, name }) => [id, name]));
    const known =
      reference === undefined
        ? await core.call('execution.list', { limit: 1000 })
        : [await core.call('execution.show', { execution: reference })];
    for (const { id, replicaId } of known) names.set(id, replicas.get(replicaId) ?? replicaId);
    const former = known.filter(({ state }) => state === 'interrupted' || state === 'cancelling').map(({ id }) => id);
    const start = () => core.call('execution.resume', reference === undefined ? {} : { execution: reference });
    return followRuns(core, executionRuns, { former, start }, display, context);
  });
  if (executions.length === 0 && options.json !== true) context.stdout.write(nothingInterrupted);
  return endOfExecutions(executions, ({ id }) => names.get(id) ?? id, display, options, context);
}

/** Says how executions ended. Exit status 0 only when all are complete and nothing was left behind. */
function endOfExecutions(
  executions: readonly ExecutionDetail[],
  replicaOf: (execution: ExecutionDetail) => string,
  display: RunDisplay,
  options: ProjectOptions,
  context: CommandContext,
): ExitStatus {
  for (const execution of executions) {
    display.end(execution.id);
    if (options.json === true) {
      context.stdout.write(`${JSON.stringify({ type: 'result', execution })}\n`);
    } else {
      context.stdout.write(`Execution ${execution.number} of ${replicaOf(execution)} is ${execution.state}.\n`);
      context.stderr.write(problemText(execution));
    }
  }
  return executions.every(isClean) ? 0 : 1;
}

/** Whether a run did all that it was to do and left nothing behind. */
export function isClean(run: {
  readonly state: string;
  readonly leftBehind: number;
  readonly error?: unknown;
}): boolean {
  return run.state === 'completed' && run.leftBehind === 0 && run.error === undefined;
}

/** @throws UsageError */
export function bandwidthOf(options: { limit?: string; limitProfile?: string }): {
  bandwidthLimit?: number;
  bandwidthProfile?: string;
} {
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
    throw new UsageError('--parallel-disks must be a number from 1 to 16');
  }
  return {
    verify: options.verify,
    ...(options.shutdownVm === true ? { shutdownVm: true } : {}),
    ...(parallelDisks === undefined ? {} : { parallelDisks }),
    ...bandwidthOf(options),
  };
}
