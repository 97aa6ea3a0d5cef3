import { UsageError, type CommandRegistrar, type ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerReplicaCreate: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'replica', 'Replicas: copies of VMs at a destination, kept up to date.')
    .command('create')
    .description('Create a replica of a VM. Nothing is copied yet.')
    .argument('<source>', 'endpoint: name or id')
    .argument('<vm>', 'name or id')
    .argument('<destination>', 'endpoint: name or id')
    .option('--environment <file>', 'environment document with a source and a destination')
    .option('--provider-config <file>', 'INI file with the defaults of the provider')
    .option('--name <name>', 'default: the name of the VM')
    .option('--another', 'create it even if the VM already has a replica');
  inProject(command).action(
    context.run(
      async (source: string, vm: string, destination: string, options: ProjectOptions & { environment?: string; providerConfig?: string; name?: string; another?: boolean }): Promise<ExitStatus> => {
        const { readInputText } = await import('../project/read-input-file.ts');
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
          ...(options.providerConfig === undefined ? {} : { providerConfiguration: readInputText(options.providerConfig) }),
        };
        const replica = await withProject(options, context, async (core) => {
          if (options.another !== true && options.name === undefined) {
            const from = (await core.call('endpoint.list', {})).find((one) => one.id === source || one.name === source);
            const existing = (await core.call('replica.list', {})).filter((one) => one.sourceEndpointId === from?.id && (one.vmId === vm || one.vmName === vm));
            if (existing.length > 0) throw new UsageError(`${vm} already has a replica: ${existing.map(({ name }) => name).join(', ')}. To create another replica, add --another`);
          }
          return core.call('replica.create', input, { signal: context.signal });
        });
        print(context, options, [replica], () => pairs({ replica: replica.name, id: replica.id, vm: replica.vmName }));
        return 0;
      },
    ),
  );
};
