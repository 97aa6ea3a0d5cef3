import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerDeploymentCancel: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'deployment', 'Replicas made into running virtual machines.')
    .command('cancel')
    .description('Ask a deployment to stop and undo what it made. Works from any terminal.')
    .argument('<deployment>', 'id; or a replica, for its last deployment')
    .option('--force', 'leave the clean-up too; the ledger knows what is left then');
  inProject(command).action(
    context.run(async (deployment: string, options: ProjectOptions & { force?: boolean }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      await withProject(options, context, (core) => core.call('deployment.cancel', { deployment, force: options.force === true }));
      return 0;
    }),
  );
};
