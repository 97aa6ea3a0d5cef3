import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerCatalog: CommandRegistrar = (program, context) => {
  const command = program
    .command('catalog')
    .description('Save the networks, images and other names of a destination in a file, to check environments without a network.')
    .argument('<endpoint>', 'name or id')
    .option('--environment <file>', 'environment document that sets the destination\'s project and zone')
    .option('-o, --output <file>', 'file to write; default: standard output');
  inProject(command).action(
    context.run(async (endpoint: string, options: ProjectOptions & { environment?: string; output?: string }): Promise<ExitStatus> => {
      const { writeFile } = await import('node:fs/promises');
      const { withProject } = await import('../project/with-project.ts');
      const { readEnvironments } = await import('../project/read-environments.ts');
      const environment = options.environment === undefined ? {} : readEnvironments(options.environment).destination;
      const catalog = await withProject(options, context, (core) => core.call('catalog.capture', { endpoint, environment }, { signal: context.signal }));
      const text = options.json === true ? `${JSON.stringify(catalog)}\n` : `${JSON.stringify(catalog, undefined, 2)}\n`;
      if (options.output === undefined) context.stdout.write(text);
      else await writeFile(options.output, text);
      return 0;
    }),
  );
};
