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
      const { executions, replicas } = await withProject(options, context, async (core) => ({
        executions: await core.call('execution.list', input),
        replicas: new Map((await core.call('replica.list', {})).map(({ id, name }) => [id, name])),
      }));
      print(context, options, executions, () =>
        table(['id', 'replica', 'number', 'state', 'started', 'ended'],
          executions.map((one) => [one.id, replicas.get(one.replicaId) ?? one.replicaId, one.number, one.state, moment(one.startedAt), moment(one.finishedAt)])));
      return 0;
    }),
  );
};
