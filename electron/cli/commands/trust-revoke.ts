import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerTrustRevoke: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'trust', 'What the project may reach on this computer.')
    .command('revoke')
    .description('Stop trusting the project. No endpoint is contacted until the project is accepted again. Secrets stay in the vault.');
  inProject(command).action(
    context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      await withProject(options, context, (core) => core.call('trust.revoke', {}));
      return 0;
    }),
  );
};
