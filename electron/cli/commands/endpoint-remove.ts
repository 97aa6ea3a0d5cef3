import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerEndpointRemove: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'endpoint', 'Endpoints: the clouds and hypervisors of the project.')
    .command('remove')
    .description('Remove an endpoint that no replica uses.')
    .argument('<endpoint>', 'name or id');
  inProject(command).action(
    context.run(async (endpoint: string, options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      await withProject(options, context, (core) => core.call('endpoint.remove', { endpoint }));
      return 0;
    }),
  );
};
