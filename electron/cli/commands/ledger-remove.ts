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
      const { uncheckedText } = await import('../output/ledger-table.ts');
      const input = { ...(entries.length === 0 ? {} : { entries }), dryRun: options.dryRun === true, check: options.check === true, madeElsewhere: options.madeElsewhere === true };
      const { results, unchecked } = await withProject(options, context, async (core) => ({
        unchecked: options.check === true ? uncheckedText((await core.call('ledger.check', {}, { signal: context.signal })).endpoints) : '',
        results: await core.call('ledger.remove', input, { signal: context.signal }),
      }));
      print(context, options, results, () =>
        table(['outcome', 'kind', 'name', 'entry', 'error'], results.map(({ item, outcome, error }) => [outcome, item.kind, item.name, item.entryId, error])));
      context.stderr.write(unchecked);
      return unchecked !== '' || results.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
    }),
  );
};
