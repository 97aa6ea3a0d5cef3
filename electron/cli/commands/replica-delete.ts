import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerReplicaDelete: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'replica', 'Copies of virtual machines that are kept up to date.')
    .command('delete')
    .description('Delete a replica with its volumes on the destination and its base on the source.')
    .argument('<replica>', 'name or id')
    .requiredOption('--yes', 'really delete the volumes');
  inProject(command).action(
    context.run(async (replica: string, options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      await withProject(options, context, (core) => core.call('replica.delete', { replica }, { signal: context.signal }));
      return 0;
    }),
  );
};
