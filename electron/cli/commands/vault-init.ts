import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerVaultInit: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'vault', 'Secrets of the project, encrypted.')
    .command('init')
    .description('Make the vault. Protected by $CAUSEWAY_KEY_FILE (made when it is not there), $CAUSEWAY_PASSPHRASE_FILE, or a passphrase that you type.');
  inProject(command).action(
    context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
      const { initVault } = await import('../project/init-vault.ts');
      return initVault(options, context);
    }),
  );
};
