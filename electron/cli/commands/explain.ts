import { Option } from 'commander';
import type { CommandRegistrar } from '../command-context.ts';
import type { ExplainOptions } from '../explain/run-explain.ts';

export const registerExplain: CommandRegistrar = (program, context) => {
  program
    .command('explain')
    .description('Print the effective environment of a document, with the origin of each value.')
    .argument('<file>', 'YAML or JSON document')
    .option('--provider-config <file>', 'INI file with the defaults of the provider')
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'))
    .action(
      context.run(async (file: string, options: ExplainOptions) => {
        const { runExplain } = await import('../explain/run-explain.ts');
        return runExplain(file, options, context);
      }),
    );
};
