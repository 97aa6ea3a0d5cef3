import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerVaultInit: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'vault', 'The project\'s encrypted secrets.')
    .command('init')
    .description('Create the vault, protected by $CAUSEWAY_KEY_FILE (created if missing), $CAUSEWAY_PASSPHRASE_FILE, or a passphrase that you type.');
  inProject(command).action(
    context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
      const { initVault } = await import('../project/init-vault.ts');
      return initVault(options, context);
    }),
  );
};
