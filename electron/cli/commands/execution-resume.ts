import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerExecutionResume: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'execution', 'Runs of replicas.')
    .command('resume')
    .description('Go on with an execution that was interrupted (the computer or Causeway ended in its middle), or with all of them. Ctrl-C cancels.')
    .argument('[execution]', 'id; or a replica, for its last execution; default: all that were interrupted');
  inProject(command).action(
    context.run(async (reference: string | undefined, options: ProjectOptions): Promise<ExitStatus> => {
      const { resumeExecutions } = await import('../project/resume-runs.ts');
      return resumeExecutions(reference, options, context);
    }),
  );
};
