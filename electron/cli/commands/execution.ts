import { setTimeout } from 'node:timers/promises';
import type { Execution } from '../../../shared/model/execution.ts';
import {
  inProject,
  UsageError,
  type CommandRegistrar,
  type ExitStatus,
  type ProjectOptions,
} from '../command-context.ts';
import { runState } from '../output/run-state.ts';
import { runList } from '../project/run-list.ts';

/** `causeway execution …` */
export const registerExecution: CommandRegistrar = (program, context) => {
  const group = program.command('execution');
  for (const add of [
    listExecutions,
    showExecution,
    resumeExecution,
    cancelExecution,
    limitExecution,
    limitTogether,
    parallelExecutions,
  ])
    add(group, context);
};

const listExecutions = runList<Execution>({
  what: 'executions',
  columns: ['id', 'replica', 'number', 'state', 'started', 'ended'],
  async read(core, input) {
    const runs = await core.call('execution.list', input);
    const replicas = new Map((await core.call('replica.list', {})).map(({ id, name }) => [id, name]));
    return {
      runs,
      cells: (one, moment) => [
        one.id,
        replicas.get(one.replicaId) ?? one.replicaId,
        one.number,
        runState(one),
        moment(one.startedAt),
        moment(one.finishedAt),
      ],
    };
  },
});

const showExecution: CommandRegistrar = (group, context) => {
  const command = group
    .command('show')
    .description('Show the tasks, progress and error of an execution. Works from any terminal while it is active.')
    .argument('<execution>', 'id; or a replica, for its last execution')
    .option('--events', 'also list its events');
  inProject(command).action(
    context.run(async (reference: string, options: ProjectOptions & { events?: boolean }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { executionText } = await import('../output/execution-text.ts');
      const { moment, print } = await import('../output/print.ts');
      const { execution, events } = await withProject(options, context, async (core) => ({
        execution: await core.call('execution.show', { execution: reference }),
        events:
          options.events === true ? await core.call('execution.events', { execution: reference, limit: 10_000 }) : [],
      }));
      print(context, options, [execution, ...events], () =>
        [executionText(execution), ...events.map((event) => `${moment(event.at)}  ${event.message}\n`)].join(''),
      );
      return 0;
    }),
  );
};

const resumeExecution: CommandRegistrar = (group, context) => {
  const command = group
    .command('resume')
    .description('Resume an interrupted execution, or all of them. Ctrl-C cancels.')
    .argument('[execution]', 'id; or a replica, for its last execution; default: all interrupted ones');
  inProject(command).action(
    context.run(async (reference: string | undefined, options: ProjectOptions): Promise<ExitStatus> => {
      const { resumeExecutions } = await import('../project/execute-replica.ts');
      return resumeExecutions(reference, options, context);
    }),
  );
};

const cancelExecution: CommandRegistrar = (group, context) => {
  const command = group
    .command('cancel')
    .description('Cancel an execution and clean up. Works from any terminal.')
    .argument('<execution>', 'id; or a replica, for its last execution')
    .option('--force', 'skip the clean-up too; what is left is in the ledger');
  inProject(command).action(
    context.run(async (execution: string, options: ProjectOptions & { force?: boolean }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const text = await withProject(options, context, async (core) => {
        const before = await core.call('execution.show', { execution });
        await core.call('execution.cancel', { execution: before.id, force: options.force === true });
        if (before.state !== 'interrupted')
          return `Cancelling ${before.id}. It cleans up first: causeway execution show ${before.id}\n`;
        // Nobody else runs it: the clean-up happens here.
        context.stderr.write(`Cleaning up after ${before.id}, which was interrupted …\n`);
        const { problemText } = await import('../output/problem-text.ts');
        const { isTerminalExecution } = await import('../../../shared/model/execution.ts');
        for (;;) {
          const now = await core.call('execution.show', { execution: before.id });
          if (isTerminalExecution(now.state) || now.state === 'interrupted')
            return `Execution ${now.id} is ${now.state}.\n${now.state === 'cancelled' ? '' : problemText(now)}`;
          await setTimeout(200, undefined, { signal: context.signal });
        }
      });
      context.stdout.write(text);
      return 0;
    }),
  );
};

const limitExecution: CommandRegistrar = (group, context) => {
  const command = group
    .command('limit')
    .description('Change the bandwidth limit of a running execution. Works from any terminal.')
    .argument('<execution>', 'id; or a replica, for its last execution')
    .argument('[rate]', 'bytes per second, e.g. 50M, 400Mbit, pause, unlimited')
    .option('--profile <profile>', 'limits by time of day, e.g. "mon-fri 08:00-18:00=20M; *=unlimited"');
  inProject(command).action(
    context.run(
      async (
        execution: string,
        rate: string | undefined,
        options: ProjectOptions & { profile?: string },
      ): Promise<ExitStatus> => {
        const { withProject } = await import('../project/with-project.ts');
        const { bandwidthOf } = await import('../project/execute-replica.ts');
        const limits = bandwidthOf({
          ...(rate === undefined ? {} : { limit: rate }),
          ...(options.profile === undefined ? {} : { limitProfile: options.profile }),
        });
        await withProject(options, context, (core) => core.call('execution.limit', { execution, ...limits }));
        return 0;
      },
    ),
  );
};

const limitTogether: CommandRegistrar = (group, context) => {
  const command = group
    .command('limit-all')
    .description(
      'Show or change the bandwidth limit that all executions of the project share equally. Applies immediately, and to further executions.',
    )
    .argument('[rate]', 'bytes per second, e.g. 50M, 400Mbit, pause, unlimited')
    .option('--profile <profile>', 'limits by time of day, e.g. "mon-fri 08:00-18:00=20M; *=unlimited"');
  inProject(command).action(
    context.run(
      async (rate: string | undefined, options: ProjectOptions & { profile?: string }): Promise<ExitStatus> => {
        const [{ withProject }, { bandwidthOf }, { print }, { formatRate }] = await Promise.all([
          import('../project/with-project.ts'),
          import('../project/execute-replica.ts'),
          import('../output/print.ts'),
          import('../../../shared/model/bandwidth-profile.ts'),
        ]);
        const isChange = rate !== undefined || options.profile !== undefined;
        const limits = bandwidthOf({
          ...(rate === undefined ? {} : { limit: rate }),
          ...(options.profile === undefined ? {} : { limitProfile: options.profile }),
        });
        const queue = await withProject(options, context, (core) =>
          isChange ? core.call('queue.setBandwidth', limits) : core.call('queue.show', {}),
        );
        print(
          context,
          options,
          [queue],
          () =>
            `Bandwidth of all executions: ${queue.bandwidthLimit === undefined ? (queue.bandwidthProfile ?? 'unlimited') : formatRate(queue.bandwidthLimit)}\n`,
        );
        return 0;
      },
    ),
  );
};

const parallelExecutions: CommandRegistrar = (group, context) => {
  const command = group
    .command('parallel')
    .description(
      'Show or set how many executions, and how many deployments, run in parallel in the project; others wait in its queue.',
    )
    .argument('[number]', 'from 1 to 32');
  inProject(command).action(
    context.run(async (text: string | undefined, options: ProjectOptions): Promise<ExitStatus> => {
      const atOnce = text === undefined ? undefined : Number(text);
      if (atOnce !== undefined && !(Number.isInteger(atOnce) && atOnce >= 1 && atOnce <= 32))
        throw new UsageError('The number must be from 1 to 32');
      const { withProject } = await import('../project/with-project.ts');
      const { print } = await import('../output/print.ts');
      const queue = await withProject(options, context, (core) =>
        atOnce === undefined ? core.call('queue.show', {}) : core.call('queue.setLimit', { atOnce }),
      );
      print(context, options, [queue], () => `Parallel executions: ${queue.atOnce}\n`);
      return 0;
    }),
  );
};
