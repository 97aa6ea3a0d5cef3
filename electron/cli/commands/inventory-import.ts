import { Option } from 'commander';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

type Options = ProjectOptions & { name?: string; os?: 'linux' | 'windows'; templates?: boolean; dryRun?: boolean };

export const registerInventoryImport: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'inventory', 'Imported lists of VMs.')
    .command('import')
    .description('Import a list of VMs from an RVTools workbook or a CSV file, and show what is new, changed and gone. Exit status 1 when rows were skipped.')
    .argument('<file>', '.xlsx or .csv; columns are recognized by their usual names')
    .option('--name <name>', 'name of the list; default: the name of the file')
    .addOption(new Option('--os <system>', 'operating system of VMs without one in the file').choices(['linux', 'windows']))
    .option('--templates', 'import templates too')
    .option('--dry-run', 'only show what would be imported');
  inProject(command).action(
    context.run(async (file: string, options: Options): Promise<ExitStatus> => {
      const { basename } = await import('node:path');
      const { withProject } = await import('../project/with-project.ts');
      const { readTablesInWorker } = await import('../project/read-tables-in-worker.ts');
      const { readInputFile } = await import('../project/read-input-file.ts');
      const { importMachines } = await import('../../../shared/inventory/import-machines.ts');
      const { guessPlans } = await import('../../../shared/inventory/table-plan.ts');
      const { compareInventories } = await import('../../../shared/inventory/compare-inventories.ts');
      const { inventoryTable } = await import('../output/inventory-table.ts');
      const { print } = await import('../output/print.ts');
      const fileName = basename(file);
      const plans = guessPlans(await readTablesInWorker(fileName, readInputFile(file), context));
      if (plans.length === 0) throw new CausewayError('inventory.unreadable', `${fileName}: no table has a column with VM names`);
      const { machines, problems } = importMachines(plans, { withTemplates: options.templates === true, ...(options.os === undefined ? {} : { osWhenUnknown: options.os }) });
      for (const { severity, table, row, column, message } of problems) {
        context.stderr.write(`${fileName}: ${table} row ${row}${column === undefined ? '' : `, ${column}`}: ${severity}: ${message}\n`);
      }
      if (machines.length === 0) throw new CausewayError('inventory.unreadable', `${fileName}: no VM can be imported`);
      const name = options.name ?? fileName.replace(/\.[^.]*$/, '');
      const kept = await withProject({ ...options, createProject: options.dryRun !== true }, context, async (core) => {
        if (options.dryRun !== true) return core.call('inventory.save', { name, origin: { kind: 'file', name: fileName }, machines: [...machines] }, { signal: context.signal });
        const former = (await core.call('inventory.list', {}, { signal: context.signal })).find((list) => list.name === name);
        return { machines: compareInventories(former?.machines ?? [], machines, new Date().toISOString()) };
      });
      print(context, options, kept.machines, () => inventoryTable(kept.machines));
      return problems.some(({ severity }) => severity === 'error') ? 1 : 0;
    }),
  );
};
