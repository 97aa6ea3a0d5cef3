import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerInventoryList: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'inventory', 'Imported lists of VMs.')
    .command('list')
    .description('List the imported lists, or the VMs of one.')
    .argument('[name]', 'of a list');
  inProject(command).action(
    context.run(async (name: string | undefined, options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { inventoryTable } = await import('../output/inventory-table.ts');
      const { table } = await import('../output/table.ts');
      const { print } = await import('../output/print.ts');
      const { CausewayError } = await import('../../../shared/model/causeway-error.ts');
      const lists = await withProject(options, context, (core) => core.call('inventory.list', {}, { signal: context.signal }));
      if (name === undefined) {
        print(context, options, lists, () => table(['name', 'from', 'imported', 'machines'], lists.map((list) => [list.name, list.origin.name, list.importedAt, list.machines.length])));
        return 0;
      }
      const list = lists.find((one) => one.name === name);
      if (list === undefined) throw new CausewayError('engine.not-found', `list ${name}`);
      print(context, options, list.machines, () => inventoryTable(list.machines));
      return 0;
    }),
  );
};
