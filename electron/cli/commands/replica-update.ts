import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

type Options = ProjectOptions & { environment?: string; providerConfig?: string; name?: string; wave?: string | false };

export const registerReplicaUpdate: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'replica', 'Replicas: copies of VMs at a destination, kept up to date.')
    .command('update')
    .description('Update a replica’s settings. Options not given stay unchanged; the next execution uses them.')
    .argument('<replica>', 'name or id')
    .option('--environment <file>', 'environment document that replaces both environments')
    .option('--provider-config <file>', 'INI file with the defaults of the provider')
    .option('--name <name>', 'new name')
    .option('--wave <wave>', 'wave to inherit settings from')
    .option('--no-wave', 'remove it from its wave');
  inProject(command).action(
    context.run(async (replica: string, options: Options): Promise<ExitStatus> => {
      const { readInputText } = await import('../project/read-input-file.ts');
      const { withProject } = await import('../project/with-project.ts');
      const { readEnvironments } = await import('../project/read-environments.ts');
      const { pairs } = await import('../output/table.ts');
      const { print } = await import('../output/print.ts');
      const environments = options.environment === undefined ? undefined : readEnvironments(options.environment);
      const input = {
        replica,
        ...(options.name === undefined ? {} : { name: options.name }),
        ...(environments === undefined ? {} : { sourceEnvironment: environments.source, destinationEnvironment: environments.destination }),
        ...(options.providerConfig === undefined ? {} : { providerConfiguration: readInputText(options.providerConfig) }),
        ...(typeof options.wave === 'string' ? { wave: options.wave } : options.wave === false ? { wave: null } : {}),
      };
      const { requireWave } = await import('../project/waves.ts');
      const changed = await withProject(options, context, async (core) => {
        if (typeof options.wave === 'string') requireWave(options.wave, (await core.call('defaults.show', {})).waves.map(({ name }) => name));
        return core.call('replica.update', input, { signal: context.signal });
      });
      print(context, options, [changed], () => pairs({ replica: changed.name, id: changed.id, wave: changed.wave ?? '' }));
      return 0;
    }),
  );
};
