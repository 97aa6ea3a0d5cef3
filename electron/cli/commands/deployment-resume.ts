import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerDeploymentResume: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'deployment', 'Replicas made into running virtual machines.')
    .command('resume')
    .description('Go on with a deployment that was interrupted (the computer or Causeway ended in its middle), or with all of them. Ctrl-C cancels.')
    .argument('[deployment]', 'id; or a replica, for its last deployment; default: all that were interrupted');
  inProject(command).action(
    context.run(async (reference: string | undefined, options: ProjectOptions): Promise<ExitStatus> => {
      const { resumeDeployments } = await import('../project/resume-runs.ts');
      return resumeDeployments(reference, options, context);
    }),
  );
};
