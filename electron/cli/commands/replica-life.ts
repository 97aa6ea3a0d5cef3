import {
  inProject,
  UsageError,
  type CommandRegistrar,
  type ExitStatus,
  type ProjectOptions,
} from '../command-context.ts';

export const replicaLife: CommandRegistrar = (group, context) => {
  const command = group
    .command('life')
    .description('Show where VMs stand on their way to the destination, what is next, and who did what.')
    .argument('[replicas...]', 'names or ids; default: all');
  inProject(command).action(
    context.run(async (named: string[], options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { print } = await import('../output/print.ts');
      const { lifeTable, lifeText } = await import('../output/life-text.ts');
      const lives = await withProject(options, context, async (core) =>
        named.length === 0
          ? core.call('replica.life', {})
          : (await Promise.all(named.map((replica) => core.call('replica.life', { replica })))).flat(),
      );
      print(context, options, lives, () =>
        named.length > 0 ? lives.map((life) => lifeText(life, Date.now())).join('\n') : lifeTable(lives, Date.now()),
      );
      return 0;
    }),
  );
};

export const replicaChecks: CommandRegistrar = (group, context) => {
  const command = group
    .command('checks')
    .description('Show or set the checks that run after each deployment of replicas.')
    .argument('<replicas...>', 'names or ids')
    .option('--file <file>', 'YAML or JSON file with a list named "checks"; the same for all these replicas')
    .option('--none', 'remove the checks');
  inProject(command).action(
    context.run(
      async (named: string[], options: ProjectOptions & { file?: string; none?: boolean }): Promise<ExitStatus> => {
        if (options.file !== undefined && options.none === true)
          throw new UsageError('give --file or --none, not both');
        const { checkName } = await import('../../../shared/model/after-boot-check.ts');
        const { readChecks } = await import('../project/read-checks.ts');
        const { withProject } = await import('../project/with-project.ts');
        const { print, table } = await import('../output/print.ts');
        const checks = options.file === undefined ? (options.none === true ? [] : undefined) : readChecks(options.file);
        const replicas = await withProject(options, context, async (core) => {
          const found = [];
          for (const replica of named)
            found.push(
              await (checks === undefined
                ? core.call('replica.show', { replica })
                : core.call('replica.update', { replica, checks })),
            );
          return found;
        });
        print(
          context,
          options,
          replicas.map(({ id, name, checks: present = [] }) => ({ id, name, checks: present })),
          () =>
            table(
              ['replica', 'check', 'kind', 'on failure'],
              replicas.flatMap(({ name, checks: present = [] }) =>
                present.map((check) => [name, checkName(check), check.kind, check.onFailure ?? 'fail']),
              ),
            ),
        );
        return 0;
      },
    ),
  );
};
