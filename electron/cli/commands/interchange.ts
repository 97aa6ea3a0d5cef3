import { Option } from 'commander';
import { inProject, type CommandRegistrar, type ExitStatus, type ProjectOptions } from '../command-context.ts';
import type { ImportOptions } from '../interchange/run-import.ts';

/** `causeway interchange …` */
export const registerInterchange: CommandRegistrar = (program, context) => {
  const group = program.command('interchange');
  for (const add of [importPayloads, exportPayloads]) add(group, context);
};

const importPayloads: CommandRegistrar = (group, context) => {
  const command = group
    .command('import')
    .description(
      'Add the endpoints and transfers of a file to the project: one replica per instance. What cannot be imported is named.',
    )
    .argument('<file>', 'payloads (JSON), or a script of coriolis commands')
    .option('--endpoint <id=name...>', 'use an endpoint of the project for one that the file only names')
    .option('--documents <folder>', 'write an environment document per VM instead; needs no project and no connection')
    .option('--dry-run', 'only list what would be imported')
    .addHelpText('after', '\nExit status: 0 everything was imported, 1 an endpoint or replica could not be created.');
  inProject(command).action(
    context.run(async (file: string, options: ImportOptions): Promise<ExitStatus> => {
      const { runImport } = await import('../interchange/run-import.ts');
      return runImport(file, options, context);
    }),
  );
};

const exportPayloads: CommandRegistrar = (group, context) => {
  const command = group
    .command('export')
    .description(
      'Print the endpoints and replicas as Coriolis takes them, without secrets. What cannot be exported is named on standard error.',
    )
    .argument('[replicas...]', 'names or ids; default: all')
    .addOption(
      new Option('--format <format>', 'payloads of the REST interface, or a script for its command line')
        .choices(['payloads', 'commands'])
        .default('payloads'),
    );
  inProject(command).action(
    context.run(
      async (
        replicas: readonly string[],
        options: ProjectOptions & { format: 'payloads' | 'commands' },
      ): Promise<ExitStatus> => {
        const { runExport } = await import('../interchange/run-export.ts');
        return runExport(replicas, options, context);
      },
    ),
  );
};
