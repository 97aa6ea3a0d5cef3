import type { CoreClient } from '../../../shared/contract/core-client.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';
import { aboutWaves } from './wave-list.ts';

export const registerWaveCreate: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'wave', aboutWaves)
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

export const registerWaveAssign: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'wave', aboutWaves)
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

export const registerWaveRename: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'wave', aboutWaves)
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

export const registerWaveRemove: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'wave', aboutWaves)
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
  const { pairs } = await import('../output/table.ts');
  const { print } = await import('../output/print.ts');
  print(context, options, [{ wave, ...(replicas === undefined ? {} : { replicas }) }], () => pairs({ wave, ...(replicas === undefined || replicas.length === 0 ? {} : { replicas: replicas.join(', ') }) }));
  return 0;
}
