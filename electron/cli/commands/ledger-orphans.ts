import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerLedgerOrphans: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'ledger', 'The ledger: resources that Causeway created in clouds.')
    .command('orphans')
    .description('List orphaned cloud resources. Exit status 1 when there are any.')
    .option('--check', 'ask the platforms which resources exist, and list those that are not in the ledger');
  inProject(command).action(
    context.run(async (options: ProjectOptions & { check?: boolean }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { ledgerTable } = await import('../output/ledger-table.ts');
      const { print } = await import('../output/print.ts');
      const input = { orphansOnly: true, check: options.check === true };
      const items = await withProject(options, context, (core) => core.call('ledger.list', input, { signal: context.signal }));
      print(context, options, items, () => ledgerTable(items));
      return items.length === 0 ? 0 : 1;
    }),
  );
};
