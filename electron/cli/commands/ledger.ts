import { inProject, type CommandRegistrar, type ExitStatus, type ProjectOptions } from '../command-context.ts';

/** `causeway ledger …` */
export const registerLedger: CommandRegistrar = (program, context) => {
  const group = program.command('ledger');
  for (const add of [listLedger, listOrphans, removeOrphans, terraformOfLedger]) add(group, context);
};

const listLedger: CommandRegistrar = (group, context) => {
  const command = group
    .command('list', { isDefault: true })
    .description(
      'List the resources that exist or may exist. With --check, exit status 1 when an endpoint could not be checked.',
    )
    .option('--check', 'ask the platforms which resources exist, and list those that are not in the ledger')
    .option('--removed', 'also list deleted resources');
  inProject(command).action(
    context.run(async (options: ProjectOptions & { check?: boolean; removed?: boolean }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { ledgerTable, uncheckedText } = await import('../output/project-tables.ts');
      const { print } = await import('../output/print.ts');
      const input = { removed: options.removed === true };
      const { items, endpoints } = await withProject(options, context, async (core) =>
        options.check === true
          ? core.call('ledger.check', input, { signal: context.signal })
          : { items: await core.call('ledger.list', input, { signal: context.signal }), endpoints: [] },
      );
      print(context, options, items, () => ledgerTable(items));
      const unchecked = uncheckedText(endpoints);
      context.stderr.write(unchecked);
      return unchecked === '' ? 0 : 1;
    }),
  );
};

const listOrphans: CommandRegistrar = (group, context) => {
  const command = group
    .command('orphans')
    .description(
      'List orphaned cloud resources. Exit status 1 when there are any, or when an endpoint could not be checked.',
    )
    .option('--check', 'ask the platforms which resources exist, and list those that are not in the ledger');
  inProject(command).action(
    context.run(async (options: ProjectOptions & { check?: boolean }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { ledgerTable, uncheckedText } = await import('../output/project-tables.ts');
      const { print } = await import('../output/print.ts');
      const input = { orphansOnly: true };
      const { items, endpoints } = await withProject(options, context, async (core) =>
        options.check === true
          ? core.call('ledger.check', input, { signal: context.signal })
          : { items: await core.call('ledger.list', input, { signal: context.signal }), endpoints: [] },
      );
      print(context, options, items, () => ledgerTable(items));
      const unchecked = uncheckedText(endpoints);
      context.stderr.write(unchecked);
      return items.length === 0 && unchecked === '' ? 0 : 1;
    }),
  );
};

const removeOrphans: CommandRegistrar = (group, context) => {
  const command = group
    .command('remove')
    .description('Delete orphaned resources in their clouds: all, or those given.')
    .argument('[entries...]', 'ids that `ledger list` shows in its last column')
    .option('--check', 'also delete resources that are not in the ledger')
    .option('--made-elsewhere', 'also delete the given resources if another computer created them')
    .option('--dry-run', 'only list what would be deleted');
  inProject(command).action(
    context.run(
      async (
        entries: string[],
        options: ProjectOptions & { dryRun?: boolean; check?: boolean; madeElsewhere?: boolean },
      ): Promise<ExitStatus> => {
        const { withProject } = await import('../project/with-project.ts');
        const { table, print } = await import('../output/print.ts');
        const { uncheckedText } = await import('../output/project-tables.ts');
        const input = {
          ...(entries.length === 0 ? {} : { entries }),
          dryRun: options.dryRun === true,
          check: options.check === true,
          madeElsewhere: options.madeElsewhere === true,
        };
        const { results, unchecked } = await withProject(options, context, async (core) => ({
          unchecked:
            options.check === true
              ? uncheckedText((await core.call('ledger.check', {}, { signal: context.signal })).endpoints)
              : '',
          results: await core.call('ledger.remove', input, { signal: context.signal }),
        }));
        print(context, options, results, () =>
          table(
            ['outcome', 'kind', 'name', 'entry', 'error'],
            results.map(({ item, outcome, error }) => [outcome, item.kind, item.name, item.entryId, error]),
          ),
        );
        context.stderr.write(unchecked);
        return unchecked !== '' || results.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
      },
    ),
  );
};

const terraformOfLedger: CommandRegistrar = (group, context) => {
  const command = group
    .command('terraform')
    .description(
      'Print import blocks for Terraform and OpenTofu for the resources that last: volumes, NICs, servers. What has none is named on standard error.',
    )
    .option('--endpoint <endpoint>', 'name or id; needed when several destinations have resources')
    .option('--replica <replica>', 'only the resources of this replica');
  inProject(command).action(
    context.run(async (options: ProjectOptions & { endpoint?: string; replica?: string }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { terraformText } = await import('../interchange/terraform-text.ts');
      const { items, endpoints, replica } = await withProject(options, context, async (core) => ({
        items: await core.call('ledger.list', {}),
        endpoints: await core.call('endpoint.list', {}),
        replica:
          options.replica === undefined ? undefined : await core.call('replica.show', { replica: options.replica }),
      }));
      const { text, notes } = terraformText(
        endpoints,
        replica === undefined ? items : items.filter(({ replicaId }) => replicaId === replica.id),
        options.endpoint,
      );
      context.stdout.write(text);
      context.stderr.write(notes);
      return 0;
    }),
  );
};
