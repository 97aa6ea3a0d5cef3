import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerReplicaCreate: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'replica', 'Copies of virtual machines that are kept up to date.')
    .command('create')
    .description('Make a replica of a virtual machine. Nothing is copied yet.')
    .argument('<source>', 'endpoint: name or id')
    .argument('<vm>', 'name or id')
    .argument('<destination>', 'endpoint: name or id')
    .option('--environment <file>', 'environment document with a source and a destination')
    .option('--provider-config <file>', 'INI file with the defaults of the provider')
    .option('--name <name>', 'default: the name of the virtual machine');
  inProject(command).action(
    context.run(
      async (source: string, vm: string, destination: string, options: ProjectOptions & { environment?: string; providerConfig?: string; name?: string }): Promise<ExitStatus> => {
        const { readFileSync } = await import('node:fs');
        const { withProject } = await import('../project/with-project.ts');
        const { readEnvironments } = await import('../project/read-environments.ts');
        const { pairs } = await import('../output/table.ts');
        const { print } = await import('../output/print.ts');
        const environments = options.environment === undefined ? { source: {}, destination: {} } : readEnvironments(options.environment);
        const input = {
          source, destination, vm,
          ...(options.name === undefined ? {} : { name: options.name }),
          sourceEnvironment: environments.source,
          destinationEnvironment: environments.destination,
          ...(options.providerConfig === undefined ? {} : { providerConfiguration: readFileSync(options.providerConfig, 'utf8') }),
        };
        const replica = await withProject(options, context, (core) => core.call('replica.create', input, { signal: context.signal }));
        print(context, options, [replica], () => pairs({ replica: replica.name, id: replica.id, vm: replica.vmName }));
        return 0;
      },
    ),
  );
};
