import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerVaultSet: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'vault', 'The project\'s encrypted secrets.')
    .command('set')
    .description('Set a secret: from a file, from standard input, or typed. Environments and endpoints refer to it as {"$secret": "name"}.')
    .argument('<name>')
    .option('--file <file>', 'file that contains the secret');
  inProject(command).action(
    context.run(async (name: string, options: ProjectOptions & { file?: string }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { readSecret } = await import('../project/read-secret.ts');
      const value = await readSecret(name, options, context);
      await withProject(options, context, (core) => core.call('vault.set', { name, value }));
      return 0;
    }),
  );
};
