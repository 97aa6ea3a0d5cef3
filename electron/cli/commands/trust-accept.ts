import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerTrustAccept: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'trust', 'What the project may reach on this computer.')
    .command('accept')
    .description('Show what the project reaches and accept it for this user on this computer. Asks on the terminal.')
    .option('--yes', 'accept without asking');
  inProject(command).action(
    context.run(async (options: ProjectOptions & { yes?: boolean }): Promise<ExitStatus> => {
      const { acceptTrust } = await import('../project/accept-trust.ts');
      return acceptTrust(options, context);
    }),
  );
};
