import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { withDeployOptions, type DeployOptions } from '../project/deploy-flags.ts';
import { commandGroup, inProject } from '../project/project-options.ts';

const description =
  'Make a replica into a running virtual machine; a deployment that was interrupted goes on. Ctrl-C cancels and undoes it, a second one leaves at once.';

export const registerReplicaDeploy: CommandRegistrar = (program, context) => {
  for (const command of [
    commandGroup(program, 'replica', 'Copies of virtual machines that are kept up to date.').command('deploy'),
    commandGroup(program, 'deployment', 'Replicas made into running virtual machines.').command('create'),
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
