import { Option } from 'commander';
import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

type Options = ProjectOptions & { name?: string; os?: 'linux' | 'windows'; templates?: boolean; dryRun?: boolean };

export const registerInventoryImport: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'inventory', 'Lists of machines that the project keeps.')
    .command('import')
    .description('Take a list of machines from an RVTools workbook or a CSV file, and say what is new, changed and gone. Exit status 1 when rows had to be left out.')
    .argument('<file>', '.xlsx or .csv; headings are known by their usual names')
    .option('--name <name>', 'name of the list; default: the name of the file')
    .addOption(new Option('--os <system>', 'what a machine runs whose guest the file does not tell').choices(['linux', 'windows']))
    .option('--templates', 'take templates too')
    .option('--dry-run', 'only say what would be kept');
  inProject(command).action(
    context.run(async (file: string, options: Options): Promise<ExitStatus> => {
      const { readFileSync } = await import('node:fs');
      const { basename } = await import('node:path');
      const { withProject } = await import('../project/with-project.ts');
      const { readTables } = await import('../../../shared/inventory/read-tables.ts');
      const { guessPlans, importMachines } = await import('../../../shared/inventory/import-machines.ts');
      const { compareInventories } = await import('../../../shared/inventory/compare-inventories.ts');
      const { inventoryTable } = await import('../output/inventory-table.ts');
      const { print } = await import('../output/print.ts');
      const fileName = basename(file);
      const plans = guessPlans(await readTables(fileName, readFileSync(file)));
      const { machines, problems } = importMachines(plans, { withTemplates: options.templates === true, ...(options.os === undefined ? {} : { osWhenUnknown: options.os }) });
      for (const { severity, table, row, column, message } of problems) {
        context.stderr.write(`${fileName}: ${table} row ${row}${column === undefined ? '' : `, ${column}`}: ${severity}: ${message}\n`);
      }
      const name = options.name ?? fileName.replace(/\.[^.]*$/, '');
      const kept = await withProject(options, context, async (core) => {
        if (options.dryRun !== true) return core.call('inventory.save', { name, origin: { kind: 'file', name: fileName }, machines: [...machines] }, { signal: context.signal });
        const former = (await core.call('inventory.list', {}, { signal: context.signal })).find((list) => list.name === name);
        return { machines: compareInventories(former?.machines ?? [], machines, new Date().toISOString()) };
      });
      print(context, options, kept.machines, () => inventoryTable(kept.machines));
      return problems.some(({ severity }) => severity === 'error') ? 1 : 0;
    }),
  );
};
