import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerVaultRemove: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'vault', 'The project\'s encrypted secrets.')
    .command('remove')
    .description('Remove a secret.')
    .argument('<name>');
  inProject(command).action(
    context.run(async (name: string, options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      await withProject(options, context, (core) => core.call('vault.remove', { name }));
      return 0;
    }),
  );
};
