import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

type Options = ProjectOptions & { environment?: string; providerConfig?: string; name?: string; wave?: string | false };

export const registerReplicaUpdate: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'replica', 'Copies of virtual machines that are kept up to date.')
    .command('update')
    .description('Change what is said of a replica. What is not named stays; the next run works with it.')
    .argument('<replica>', 'name or id')
    .option('--environment <file>', 'environment document that takes the place of both environments')
    .option('--provider-config <file>', 'INI file with the defaults of the provider')
    .option('--name <name>', 'another name')
    .option('--wave <wave>', 'the wave whose values it takes')
    .option('--no-wave', 'take it out of its wave');
  inProject(command).action(
    context.run(async (replica: string, options: Options): Promise<ExitStatus> => {
      const { readFileSync } = await import('node:fs');
      const { withProject } = await import('../project/with-project.ts');
      const { readEnvironments } = await import('../project/read-environments.ts');
      const { pairs } = await import('../output/table.ts');
      const { print } = await import('../output/print.ts');
      const environments = options.environment === undefined ? undefined : readEnvironments(options.environment);
      const input = {
        replica,
        ...(options.name === undefined ? {} : { name: options.name }),
        ...(environments === undefined ? {} : { sourceEnvironment: environments.source, destinationEnvironment: environments.destination }),
        ...(options.providerConfig === undefined ? {} : { providerConfiguration: readFileSync(options.providerConfig, 'utf8') }),
        ...(typeof options.wave === 'string' ? { wave: options.wave } : options.wave === false ? { wave: null } : {}),
      };
      const changed = await withProject(options, context, (core) => core.call('replica.update', input, { signal: context.signal }));
      print(context, options, [changed], () => pairs({ replica: changed.name, id: changed.id, wave: changed.wave ?? '' }));
      return 0;
    }),
  );
};
