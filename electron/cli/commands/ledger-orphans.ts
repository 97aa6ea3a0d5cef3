import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerLedgerOrphans: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'ledger', 'The ledger: resources that Causeway created in clouds.')
    .command('orphans')
    .description('List orphaned cloud resources. Exit status 1 when there are any, or when an endpoint could not be checked.')
    .option('--check', 'ask the platforms which resources exist, and list those that are not in the ledger');
  inProject(command).action(
    context.run(async (options: ProjectOptions & { check?: boolean }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { ledgerTable, uncheckedText } = await import('../output/ledger-table.ts');
      const { print } = await import('../output/print.ts');
      const input = { orphansOnly: true };
      const { items, endpoints } = await withProject(options, context, async (core) => (options.check === true
        ? core.call('ledger.check', input, { signal: context.signal })
        : { items: await core.call('ledger.list', input, { signal: context.signal }), endpoints: [] }));
      print(context, options, items, () => ledgerTable(items));
      const unchecked = uncheckedText(endpoints);
      context.stderr.write(unchecked);
      return items.length === 0 && unchecked === '' ? 0 : 1;
    }),
  );
};
