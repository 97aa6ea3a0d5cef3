import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerDeploymentCancel: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'deployment', 'Deployments: replicas made into running VMs.')
    .command('cancel')
    .description('Cancel a deployment and roll it back. Works from any terminal.')
    .argument('<deployment>', 'id; or a replica, for its last deployment')
    .option('--force', 'skip the clean-up too; what is left is in the ledger');
  inProject(command).action(
    context.run(async (deployment: string, options: ProjectOptions & { force?: boolean }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      await withProject(options, context, (core) => core.call('deployment.cancel', { deployment, force: options.force === true }));
      return 0;
    }),
  );
};
