import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerReplicaList: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'replica', 'Replicas: copies of VMs at a destination, kept up to date.').command('list').description('List the replicas.');
  inProject(command).action(
    context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { moment } = await import('../output/quantities.ts');
      const { table } = await import('../output/table.ts');
      const { print } = await import('../output/print.ts');
      const replicas = await withProject(options, context, (core) => core.call('replica.list', {}));
      print(context, options, replicas, () =>
        table(['name', 'vm', 'disks', 'state of', 'id'], replicas.map((one) => [one.name, one.vmName, one.disks.length, moment(one.lastSuccess) ?? 'never', one.id])));
      return 0;
    }),
  );
};
