import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerEndpointList: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'endpoint', 'Endpoints: the clouds and hypervisors of the project.').command('list').description('List the endpoints.');
  inProject(command).action(
    context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { table } = await import('../output/table.ts');
      const { print } = await import('../output/print.ts');
      const endpoints = await withProject(options, context, (core) => core.call('endpoint.list', {}));
      print(context, options, endpoints, () => table(['name', 'plugin', 'id'], endpoints.map((one) => [one.name, one.plugin, one.id])));
      return 0;
    }),
  );
};
