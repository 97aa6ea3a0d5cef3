import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const aboutWaves = 'Groups of replicas that inherit settings and are migrated together.';

export const registerWaveList: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'wave', aboutWaves).command('list').description('List the waves with their replicas.');
  inProject(command).action(
    context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { table } = await import('../output/table.ts');
      const { print } = await import('../output/print.ts');
      const [{ waves }, replicas] = await withProject(options, context, (core) => Promise.all([core.call('defaults.show', {}), core.call('replica.list', {})]));
      const members = Map.groupBy(replicas, ({ wave }) => wave);
      const rows = waves.map(({ name }) => ({ name, replicas: (members.get(name) ?? []).map((replica) => replica.name) }));
      print(context, options, rows, () => table(['name', 'count', 'replicas'], rows.map((row) => [row.name, row.replicas.length, row.replicas.join(', ')])));
      return 0;
    }),
  );
};
