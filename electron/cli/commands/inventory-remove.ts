import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerInventoryRemove: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'inventory', 'Imported lists of VMs.')
    .command('remove')
    .description('Remove a list. Replicas, endpoints and VMs are not changed.')
    .argument('<name>', 'of the list');
  inProject(command).action(
    context.run(async (name: string, options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      await withProject(options, context, (core) => core.call('inventory.remove', { name }, { signal: context.signal }));
      return 0;
    }),
  );
};
