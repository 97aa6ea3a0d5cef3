import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerDeploymentList: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'deployment', 'Replicas made into running virtual machines.')
    .command('list')
    .description('List deployments, the newest first.')
    .option('--replica <replica>', 'of this replica only');
  inProject(command).action(
    context.run(async (options: ProjectOptions & { replica?: string }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { moment } = await import('../output/quantities.ts');
      const { table } = await import('../output/table.ts');
      const { print } = await import('../output/print.ts');
      const input = options.replica === undefined ? {} : { replica: options.replica };
      const deployments = await withProject(options, context, (core) => core.call('deployment.list', input));
      print(context, options, deployments, () =>
        table(['id', 'replica', 'number', 'state', 'server', 'addresses', 'started', 'ended'],
          deployments.map((one) => [
            one.id, one.replicaName, one.number, one.state, one.server?.name, one.server?.addresses.join(' '), moment(one.startedAt), moment(one.finishedAt),
          ])));
      return 0;
    }),
  );
};
