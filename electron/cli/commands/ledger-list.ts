import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerLedgerList: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'ledger', 'The ledger: resources that Causeway created in clouds.')
    .command('list', { isDefault: true })
    .description('List the resources that exist or may exist.')
    .option('--check', 'ask the platforms which resources exist, and list those that are not in the ledger')
    .option('--removed', 'also list deleted resources');
  inProject(command).action(
    context.run(async (options: ProjectOptions & { check?: boolean; removed?: boolean }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { ledgerTable } = await import('../output/ledger-table.ts');
      const { print } = await import('../output/print.ts');
      const input = { check: options.check === true, removed: options.removed === true };
      const items = await withProject(options, context, (core) => core.call('ledger.list', input, { signal: context.signal }));
      print(context, options, items, () => ledgerTable(items));
      return 0;
    }),
  );
};
