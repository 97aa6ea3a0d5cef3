import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerProjectTakeOver: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'project', 'The project folder itself.')
    .command('take-over')
    .description('Use project data from another computer on this one from now on. The next execution of each replica compares whole disks.');
  inProject(command).action(
    context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      await withProject(options, context, (core) => core.call('project.takeOver', {}, { signal: context.signal }));
      return 0;
    }),
  );
};
