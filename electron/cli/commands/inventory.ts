import { Option } from 'commander';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { RowAdvice } from '../../../shared/inventory/row-cells.ts';
import { inProject, type CommandRegistrar, type ExitStatus, type ProjectOptions } from '../command-context.ts';

/** `causeway inventory …` */
export const registerInventory: CommandRegistrar = (program, context) => {
  const group = program.command('inventory');
  for (const add of [importList, listLists, removeList]) add(group, context);
};

/** Columns are recognized by their headings; nothing is mapped here. */
const advices: Readonly<Record<RowAdvice, string>> = {
  'os-unknown': 'Give the file a column "OS", or say it of all such VMs with --os linux or --os windows',
};

type Options = ProjectOptions & { name?: string; os?: 'linux' | 'windows'; templates?: boolean; dryRun?: boolean };

const importList: CommandRegistrar = (group, context) => {
  const command = group
    .command('import')
    .description(
      'Import a list of VMs from an RVTools workbook or a CSV file, and show what is new, changed and gone. Exit status 1 when rows were skipped.',
    )
    .argument('<file>', '.xlsx or .csv; columns are recognized by their usual names')
    .option('--name <name>', 'name of the list; default: the name of the file')
    .addOption(
      new Option('--os <system>', 'operating system of VMs without one in the file').choices(['linux', 'windows']),
    )
    .option('--templates', 'import templates too')
    .option('--dry-run', 'only show what would be imported');
  inProject(command).action(
    context.run(async (file: string, options: Options): Promise<ExitStatus> => {
      const { basename } = await import('node:path');
      const { withProject } = await import('../project/with-project.ts');
      const { readTablesInWorker } = await import('../project/read-tables-in-worker.ts');
      const { readInputFile } = await import('../project/read-files.ts');
      const { importMachines } = await import('../../../shared/inventory/import-machines.ts');
      const { guessPlans } = await import('../../../shared/inventory/table-plan.ts');
      const { compareInventories } = await import('../../../shared/inventory/compare-inventories.ts');
      const { inventoryTable } = await import('../output/project-tables.ts');
      const { print } = await import('../output/print.ts');
      const { printable } = await import('../output/printable.ts');
      const fileName = basename(file);
      const plans = guessPlans(await readTablesInWorker(fileName, readInputFile(file), context));
      if (plans.length === 0)
        throw new CausewayError('inventory.unreadable', `${fileName}: no table has a column with VM names`);
      const { machines, problems } = importMachines(plans, {
        withTemplates: options.templates === true,
        ...(options.os === undefined ? {} : { osWhenUnknown: options.os }),
      });
      for (const { severity, table, row, column, message, advice } of problems) {
        context.stderr.write(
          `${printable(`${fileName}: ${table}${row === 0 ? '' : ` row ${row}`}${column === undefined ? '' : `, ${column}`}: ${severity}: ${message}${advice === undefined ? '' : `. ${advices[advice]}`}`)}\n`,
        );
      }
      if (machines.length === 0) throw new CausewayError('inventory.unreadable', `${fileName}: no VM can be imported`);
      const name = options.name ?? fileName.replace(/\.[^.]*$/, '');
      const kept = await withProject({ ...options, createProject: options.dryRun !== true }, context, async (core) => {
        if (options.dryRun !== true)
          return core.call(
            'inventory.save',
            { name, origin: { kind: 'file', name: fileName }, machines: [...machines] },
            { signal: context.signal },
          );
        const former = (await core.call('inventory.list', {}, { signal: context.signal })).find(
          (list) => list.name === name,
        );
        return { machines: compareInventories(former?.machines ?? [], machines, new Date().toISOString()) };
      });
      print(context, options, kept.machines, () => inventoryTable(kept.machines));
      return problems.some(({ severity }) => severity === 'error') ? 1 : 0;
    }),
  );
};

const listLists: CommandRegistrar = (group, context) => {
  const command = group
    .command('list')
    .description('List the imported lists, or the VMs of one.')
    .argument('[name]', 'of a list');
  inProject(command).action(
    context.run(async (name: string | undefined, options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { inventoryTable } = await import('../output/project-tables.ts');
      const { table, print } = await import('../output/print.ts');
      const { CausewayError } = await import('../../../shared/model/causeway-error.ts');
      const lists = await withProject(options, context, (core) =>
        core.call('inventory.list', {}, { signal: context.signal }),
      );
      if (name === undefined) {
        print(context, options, lists, () =>
          table(
            ['name', 'from', 'imported', 'machines'],
            lists.map((list) => [list.name, list.origin.name, list.importedAt, list.machines.length]),
          ),
        );
        return 0;
      }
      const list = lists.find((one) => one.name === name);
      if (list === undefined) throw new CausewayError('engine.not-found', `list ${name}`);
      print(context, options, list.machines, () => inventoryTable(list.machines));
      return 0;
    }),
  );
};

const removeList: CommandRegistrar = (group, context) => {
  const command = group
    .command('remove')
    .description('Remove a list. Replicas, endpoints and VMs are not changed.')
    .argument('<name>', 'of the list');
  inProject(command).action(
    context.run(async (name: string, options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      await withProject(options, context, (core) =>
        core.call('inventory.remove', { name }, { signal: context.signal }),
      );
      return 0;
    }),
  );
};
