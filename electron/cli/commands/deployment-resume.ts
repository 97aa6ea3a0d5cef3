import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerDeploymentResume: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'deployment', 'Deployments: replicas made into running VMs.')
    .command('resume')
    .description('Resume an interrupted deployment, or all of them. Ctrl-C cancels.')
    .argument('[deployment]', 'id; or a replica, for its last deployment; default: all interrupted ones');
  inProject(command).action(
    context.run(async (reference: string | undefined, options: ProjectOptions): Promise<ExitStatus> => {
      const { resumeDeployments } = await import('../project/resume-runs.ts');
      return resumeDeployments(reference, options, context);
    }),
  );
};
