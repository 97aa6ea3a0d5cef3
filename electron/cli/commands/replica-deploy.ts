import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { withDeployOptions, type DeployOptions } from '../project/deploy-flags.ts';
import { commandGroup, inProject } from '../project/project-options.ts';

const description =
  'Deploy a replica as a running VM. Resumes if interrupted before. Ctrl-C cancels and rolls back; press it again to skip the roll-back.';

export const registerReplicaDeploy: CommandRegistrar = (program, context) => {
  for (const command of [
    commandGroup(program, 'replica', 'Replicas: copies of VMs at a destination, kept up to date.').command('deploy'),
    commandGroup(program, 'deployment', 'Deployments: replicas made into running VMs.').command('create'),
  ]) {
    inProject(withDeployOptions(command.description(description).argument('<replica>', 'name or id'))).action(
      context.run(async (replica: string, options: DeployOptions): Promise<ExitStatus> => {
        const { deploymentOptions } = await import('../project/deploy-options.ts');
        const { deployReplica } = await import('../project/deploy-replica.ts');
        return deployReplica(replica, await deploymentOptions(options), options, context);
      }),
    );
  }
};
