import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerVaultList: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'vault', 'The project\'s encrypted secrets.')
    .command('list')
    .description('List the names of the secrets. Their values are never shown.');
  inProject(command).action(
    context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { print } = await import('../output/print.ts');
      const names = await withProject(options, context, (core) => core.call('vault.list', {}));
      print(context, options, names, () => names.map((name) => `${name}\n`).join(''));
      return 0;
    }),
  );
};
