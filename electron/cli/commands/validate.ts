import { Option } from 'commander';
import type { CommandRegistrar } from '../command-context.ts';
import { reportFormats } from '../report/formats.ts';
import type { ValidateOptions } from '../validate/run-validate.ts';

export const registerValidate: CommandRegistrar = (program, context) => {
  program
    .command('validate')
    .description('Check environment documents without a network.')
    .argument('<file-or-folder...>', 'YAML or JSON documents, and folders to search for them')
    .option('--provider-config <file>', 'INI file with the defaults of the provider')
    .option('--catalog <file>', 'catalog of the destination, from "causeway catalog"')
    .addOption(new Option('--format <format>', 'output format').choices(reportFormats).default('text'))
    .option('--strict', 'warnings count as errors for the exit status')
    .addHelpText('after', '\nExit status: 0 no errors, 1 errors found (with --strict: or warnings), 2 the check could not start.')
    .action(
      context.run(async (paths: readonly string[], options: ValidateOptions) => {
        const { runValidate } = await import('../validate/run-validate.ts');
        return runValidate(paths, options, context);
      }),
    );
};
