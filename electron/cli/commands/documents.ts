import { Argument, Option } from 'commander';
import { type PluginId, pluginIds, type Side } from '../../../shared/model/plugin-id.ts';
import { type CommandRegistrar, type ExitStatus, UsageError } from '../command-context.ts';
import type { ExplainOptions } from '../explain/run-explain.ts';
import { reportFormats } from '../report/formats.ts';
import type { ValidateOptions } from '../validate/run-validate.ts';

type Format = 'json-schema' | 'markdown' | 'example';

/** The commands on environment documents, which need no project: `validate`, `explain`, `schema`. */
export const registerDocuments: CommandRegistrar = (program, context) => {
  for (const add of [validate, explain, schema]) add(program, context);
};

const validate: CommandRegistrar = (program, context) => {
  program
    .command('validate')
    .argument('<file-or-folder...>', 'YAML or JSON documents, and folders to search for them')
    .option('--provider-config <file>', 'INI file with the defaults of the provider')
    .option('--catalog <file>', 'catalog of the destination, from "causeway catalog"')
    .addOption(new Option('--format <format>', 'output format').choices(reportFormats).default('text'))
    .option('--strict', 'warnings count as errors for the exit status')
    .addHelpText(
      'after',
      '\nExit status: 0 no errors, 1 errors found (with --strict: or warnings), 2 the check could not start.',
    )
    .action(
      context.run(async (paths: readonly string[], options: ValidateOptions) => {
        const { runValidate } = await import('../validate/run-validate.ts');
        return runValidate(paths, options, context);
      }),
    );
};

const explain: CommandRegistrar = (program, context) => {
  program
    .command('explain')
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

const schema: CommandRegistrar = (program, context) => {
  program
    .command('schema')
    .addArgument(new Argument('<plugin>', 'id of the plugin, or "document"').choices([...pluginIds, 'document']))
    .addArgument(new Argument('[side]', 'which of its environments').choices(['source', 'destination']))
    .addOption(
      new Option('--format <format>', 'output format')
        .choices(['json-schema', 'markdown', 'example'])
        .default('json-schema'),
    )
    .action(
      context.run(
        async (
          plugin: PluginId | 'document',
          side: Side | undefined,
          { format }: { readonly format: Format },
        ): Promise<ExitStatus> => {
          const [{ plugins }, { renderSchema }, { documentSchemaText }] = await Promise.all([
            import('../../../shared/plugins/registry.ts'),
            import('../../../shared/plugins/render/render-schema.ts'),
            import('../../../shared/plugins/render/document-schema.ts'),
          ]);
          if (plugin === 'document') {
            if (format !== 'json-schema') throw new UsageError('a whole document is only available as json-schema');
            context.stdout.write(documentSchemaText());
            return 0;
          }
          if (side === undefined) throw new UsageError(`specify which environment of ${plugin}: source or destination`);
          if (plugins[plugin][side] === undefined) throw new UsageError(`${plugin} is not available as a ${side}`);
          context.stdout.write(`${renderSchema(plugin, side, format).trimEnd()}\n`);
          return 0;
        },
      ),
    );
};
