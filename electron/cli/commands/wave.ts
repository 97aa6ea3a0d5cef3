import type { CoreClient } from '../../../shared/contract/core-client.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { inProject, type CommandRegistrar, type ExitStatus, type ProjectOptions } from '../command-context.ts';

/** `causeway wave …` */
export const registerWave: CommandRegistrar = (program, context) => {
  const group = program.command('wave').description('Groups of replicas that inherit settings and are migrated together.');
  for (const add of [listWaves, createWave, assignReplicas, renameWave, removeWave]) add(group, context);
};

const listWaves: CommandRegistrar = (group, context) => {
  const command = group.command('list').description('List the waves with their replicas.');
  inProject(command).action(
    context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { table, print } = await import('../output/print.ts');
      const [{ waves }, replicas] = await withProject(options, context, (core) => Promise.all([core.call('defaults.show', {}), core.call('replica.list', {})]));
      const members = Map.groupBy(replicas, ({ wave }) => wave);
      const rows = waves.map(({ name }) => ({ name, replicas: (members.get(name) ?? []).map((replica) => replica.name) }));
      print(context, options, rows, () => table(['name', 'count', 'replicas'], rows.map((row) => [row.name, row.replicas.length, row.replicas.join(', ')])));
      return 0;
    }),
  );
};

const createWave: CommandRegistrar = (group, context) => {
  const command = group
    .command('create')
    .description('Create a wave and add replicas to it.')
    .argument('<wave>', 'its name')
    .argument('[replicas...]', 'names or ids');
  inProject(command).action(
    context.run(async (wave: string, replicas: string[], options: ProjectOptions): Promise<ExitStatus> => {
      const { inWaves, assign } = await helpers();
      await inWaves(options, context, async (core, names) => {
        if (names.includes(wave)) throw new CausewayError('engine.name-taken', `wave ${wave}`);
        await core.call('defaults.save', { wave, environments: {} });
        await assign(core, wave, replicas, context.signal);
      });
      return done(context, options, { wave, replicas });
    }),
  );
};

const assignReplicas: CommandRegistrar = (group, context) => {
  const command = group
    .command('assign')
    .description('Move replicas to a wave.')
    .argument('<wave>', 'its name')
    .argument('<replicas...>', 'names or ids');
  inProject(command).action(
    context.run(async (wave: string, replicas: string[], options: ProjectOptions): Promise<ExitStatus> => {
      const { inWaves, assign, requireWave } = await helpers();
      await inWaves(options, context, async (core, names) => {
        requireWave(wave, names);
        await assign(core, wave, replicas, context.signal);
      });
      return done(context, options, { wave, replicas });
    }),
  );
};

const renameWave: CommandRegistrar = (group, context) => {
  const command = group
    .command('rename')
    .description('Rename a wave. Its replicas and settings are kept.')
    .argument('<wave>', 'its name')
    .argument('<name>', 'the new name');
  inProject(command).action(
    context.run(async (wave: string, name: string, options: ProjectOptions): Promise<ExitStatus> => {
      const { inWaves, assign, requireWave } = await helpers();
      await inWaves(options, context, async (core, names) => {
        requireWave(wave, names);
        if (names.includes(name)) throw new CausewayError('engine.name-taken', `wave ${name}`);
        const { waves } = await core.call('defaults.show', {});
        await core.call('defaults.save', { wave: name, environments: waves.find((one) => one.name === wave)?.environments ?? {} });
        const members = (await core.call('replica.list', {})).filter((replica) => replica.wave === wave);
        await assign(core, name, members.map(({ id }) => id), context.signal);
        await core.call('defaults.removeWave', { wave });
      });
      return done(context, options, { wave: name });
    }),
  );
};

const removeWave: CommandRegistrar = (group, context) => {
  const command = group
    .command('remove')
    .description('Remove a wave that has no replicas.')
    .argument('<wave>', 'its name');
  inProject(command).action(
    context.run(async (wave: string, options: ProjectOptions): Promise<ExitStatus> => {
      const { inWaves, requireWave } = await helpers();
      await inWaves(options, context, async (core: CoreClient, names) => {
        requireWave(wave, names);
        await core.call('defaults.removeWave', { wave });
      });
      return done(context, options, { wave });
    }),
  );
};

const helpers = () => import('../project/waves.ts');

async function done(context: Parameters<CommandRegistrar>[1], options: ProjectOptions, { wave, replicas }: { readonly wave: string; readonly replicas?: readonly string[] }): Promise<ExitStatus> {
  const { pairs, print } = await import('../output/print.ts');
  print(context, options, [{ wave, ...(replicas === undefined ? {} : { replicas }) }], () => pairs({ wave, ...(replicas === undefined || replicas.length === 0 ? {} : { replicas: replicas.join(', ') }) }));
  return 0;
}
