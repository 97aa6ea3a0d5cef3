import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerExecutionList: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'execution', 'Runs of replicas.')
    .command('list')
    .description('List executions, the newest first.')
    .option('--replica <replica>', 'of this replica only');
  inProject(command).action(
    context.run(async (options: ProjectOptions & { replica?: string }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { moment } = await import('../output/quantities.ts');
      const { table } = await import('../output/table.ts');
      const { print } = await import('../output/print.ts');
      const input = options.replica === undefined ? {} : { replica: options.replica };
      const executions = await withProject(options, context, (core) => core.call('execution.list', input));
      print(context, options, executions, () =>
        table(['id', 'replica', 'number', 'state', 'started', 'ended'],
          executions.map((one) => [one.id, one.replicaId, one.number, one.state, moment(one.startedAt), moment(one.finishedAt)])));
      return 0;
    }),
  );
};
