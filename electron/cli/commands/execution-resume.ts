import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerExecutionResume: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'execution', 'Executions of replicas.')
    .command('resume')
    .description('Resume an interrupted execution, or all of them. Ctrl-C cancels.')
    .argument('[execution]', 'id; or a replica, for its last execution; default: all interrupted ones');
  inProject(command).action(
    context.run(async (reference: string | undefined, options: ProjectOptions): Promise<ExitStatus> => {
      const { resumeExecutions } = await import('../project/resume-runs.ts');
      return resumeExecutions(reference, options, context);
    }),
  );
};
