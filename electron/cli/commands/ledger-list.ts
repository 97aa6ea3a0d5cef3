import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerLedgerList: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'ledger', 'The ledger: resources that Causeway created in clouds.')
    .command('list', { isDefault: true })
    .description('List the resources that exist or may exist. With --check, exit status 1 when an endpoint could not be checked.')
    .option('--check', 'ask the platforms which resources exist, and list those that are not in the ledger')
    .option('--removed', 'also list deleted resources');
  inProject(command).action(
    context.run(async (options: ProjectOptions & { check?: boolean; removed?: boolean }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { ledgerTable, uncheckedText } = await import('../output/ledger-table.ts');
      const { print } = await import('../output/print.ts');
      const input = { removed: options.removed === true };
      const { items, endpoints } = await withProject(options, context, async (core) => (options.check === true
        ? core.call('ledger.check', input, { signal: context.signal })
        : { items: await core.call('ledger.list', input, { signal: context.signal }), endpoints: [] }));
      print(context, options, items, () => ledgerTable(items));
      const unchecked = uncheckedText(endpoints);
      context.stderr.write(unchecked);
      return unchecked === '' ? 0 : 1;
    }),
  );
};
