import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerLedgerRemove: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'ledger', 'What Causeway created in which cloud.')
    .command('remove')
    .description('Remove orphans from their clouds: all of them, or those that are named.')
    .argument('[entries...]', 'ids of entries')
    .option('--dry-run', 'only say what would be removed');
  inProject(command).action(
    context.run(async (entries: string[], options: ProjectOptions & { dryRun?: boolean }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { table } = await import('../output/table.ts');
      const { print } = await import('../output/print.ts');
      const input = { ...(entries.length === 0 ? {} : { entries }), dryRun: options.dryRun === true };
      const results = await withProject(options, context, (core) => core.call('ledger.remove', input, { signal: context.signal }));
      print(context, options, results, () =>
        table(['outcome', 'kind', 'name', 'entry', 'error'], results.map(({ item, outcome, error }) => [outcome, item.kind, item.name, item.entryId, error])));
      return results.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
    }),
  );
};
