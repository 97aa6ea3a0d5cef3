import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerEndpointAdd: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'endpoint', 'Endpoints: the clouds and hypervisors of the project.')
    .command('add')
    .description('Add an endpoint. Secrets are stored in the vault; pass them as @file, not on the command line.')
    .argument('<name>')
    .requiredOption('--plugin <id>', 'the plugin, e.g. disk-images or european-cloud')
    .option('--connection <file>', 'YAML or JSON file with the connection parameters')
    .option('--set <key=value...>', 'one parameter: key=text, key=@file (its content), key:=json', collect)
    .option('--secret <key=name...>', 'one parameter, as the name of a secret in the vault', collect);
  inProject(command).action(
    context.run(async (name: string, options: ProjectOptions & { plugin: string; connection?: string; set?: string[]; secret?: string[] }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { pluginIdOf, readConnection } = await import('../project/read-connection.ts');
      const { pairs } = await import('../output/table.ts');
      const { print } = await import('../output/print.ts');
      const input = { name, plugin: pluginIdOf(options.plugin), connection: readConnection({ ...options, set: options.set ?? [], secret: options.secret ?? [] }) };
      const endpoint = await withProject({ ...options, createProject: true }, context, (core) => core.call('endpoint.add', input, { signal: context.signal }));
      print(context, options, [endpoint], () => pairs({ endpoint: endpoint.name, id: endpoint.id, plugin: endpoint.plugin }));
      return 0;
    }),
  );
};

function collect(value: string, former: string[] = []): string[] {
  return [...former, value];
}
