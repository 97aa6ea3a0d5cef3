import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerExecutionShow: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'execution', 'Executions of replicas.')
    .command('show')
    .description('Show the tasks, progress and error of an execution. Works from any terminal while it is active.')
    .argument('<execution>', 'id; or a replica, for its last execution')
    .option('--events', 'also list its events');
  inProject(command).action(
    context.run(async (reference: string, options: ProjectOptions & { events?: boolean }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { executionText } = await import('../output/execution-text.ts');
      const { moment } = await import('../output/quantities.ts');
      const { print } = await import('../output/print.ts');
      const { execution, events } = await withProject(options, context, async (core) => ({
        execution: await core.call('execution.show', { execution: reference }),
        events: options.events === true ? await core.call('execution.events', { execution: reference, limit: 10_000 }) : [],
      }));
      print(context, options, [execution, ...events], () =>
        [executionText(execution), ...events.map((event) => `${moment(event.at)}  ${event.message}\n`)].join(''));
      return 0;
    }),
  );
};
