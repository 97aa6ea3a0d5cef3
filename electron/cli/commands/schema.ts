import { Argument, Option } from 'commander';
import { pluginIds, type PluginId, type Side } from '../../../shared/model/plugin-id.ts';
import { UsageError, type CommandRegistrar, type ExitStatus } from '../command-context.ts';

type Format = 'json-schema' | 'markdown' | 'example';

export const registerSchema: CommandRegistrar = (program, context) => {
  program
    .command('schema')
    .description('Print the parameters of a plugin.')
    .addArgument(new Argument('<plugin>', 'id of the plugin').choices(pluginIds))
    .addArgument(new Argument('<side>', 'which of its environments').choices(['source', 'destination']))
    .addOption(new Option('--format <format>', 'output format').choices(['json-schema', 'markdown', 'example']).default('json-schema'))
    .action(
      context.run(async (plugin: PluginId, side: Side, { format }: { readonly format: Format }): Promise<ExitStatus> => {
        const [{ plugins }, { renderSchema }] = await Promise.all([
          import('../../../shared/plugins/registry.ts'),
          import('../../../shared/plugins/render/render-schema.ts'),
        ]);
        if (plugins[plugin][side] === undefined) throw new UsageError(`${plugin} is not available as a ${side}`);
        context.stdout.write(`${renderSchema(plugin, side, format).trimEnd()}\n`);
        return 0;
      }),
    );
};
