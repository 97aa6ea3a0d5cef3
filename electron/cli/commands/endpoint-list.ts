import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerEndpointList: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'endpoint', 'Endpoints: the clouds and hypervisors of the project.').command('list').description('List the endpoints.');
  inProject(command).action(
    context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { table } = await import('../output/table.ts');
      const { print } = await import('../output/print.ts');
      const { moment } = await import('../output/quantities.ts');
      const endpoints = await withProject(options, context, (core) => core.call('endpoint.list', {}));
      print(context, options, endpoints, () => table(['name', 'plugin', 'id', 'last check'], endpoints.map(({ name, plugin, id, lastCheck }) => [name, plugin, id, lastCheck === undefined ? undefined : [
        `${lastCheck.passed ? 'passed' : 'failed'} ${moment(lastCheck.at) ?? ''}`, ...(lastCheck.isOutdated ? ['changed since'] : []),
      ].join(', ')])));
      return 0;
    }),
  );
};
