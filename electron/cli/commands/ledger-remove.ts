import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerLedgerRemove: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'ledger', 'The ledger: resources that Causeway created in clouds.')
    .command('remove')
    .description('Delete orphaned resources in their clouds: all, or those given.')
    .argument('[entries...]', 'ids that `ledger list` shows in its last column')
    .option('--check', 'also delete resources that are not in the ledger')
    .option('--made-elsewhere', 'also delete the given resources if another computer created them')
    .option('--dry-run', 'only list what would be deleted');
  inProject(command).action(
    context.run(async (entries: string[], options: ProjectOptions & { dryRun?: boolean; check?: boolean; madeElsewhere?: boolean }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { table } = await import('../output/table.ts');
      const { print } = await import('../output/print.ts');
      const input = { ...(entries.length === 0 ? {} : { entries }), dryRun: options.dryRun === true, check: options.check === true, madeElsewhere: options.madeElsewhere === true };
      const results = await withProject(options, context, (core) => core.call('ledger.remove', input, { signal: context.signal }));
      print(context, options, results, () =>
        table(['outcome', 'kind', 'name', 'entry', 'error'], results.map(({ item, outcome, error }) => [outcome, item.kind, item.name, item.entryId, error])));
      return results.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
    }),
  );
};
