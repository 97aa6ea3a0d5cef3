import type { Command } from 'commander';
import type { CoreClient } from '../../../shared/contract/core-client.ts';
import { waveActions, type WaveAction } from '../../../shared/model/wave-action.ts';
import type { WaveRun } from '../../../shared/model/wave.ts';
import {
  inProject,
  UsageError,
  type CommandRegistrar,
  type ExitStatus,
  type ProjectOptions,
  type RegistrationContext,
} from '../command-context.ts';
import type { SuggestWavesOptions } from '../project/suggest-waves.ts';
import type { PlanOptions } from '../project/wave-plan-options.ts';

/** `causeway wave …` */
export const registerWave: CommandRegistrar = (program, context) => {
  const group = program.command('wave');
  for (const add of [
    listWaves,
    suggestWaves,
    createWave,
    assignReplicas,
    showWave,
    estimateWave,
    planWave,
    startWave,
    reportWave,
    renameWave,
    removeWave,
  ])
    add(group, context);
  control(group, context, 'pause', 'Finish what is in progress and start nothing more.', (core, wave) =>
    core.call('wave.pause', { wave }),
  );
  follow(group, context, 'continue', 'Continue a wave that was paused or interrupted.', (core, wave) =>
    core.call('wave.continue', { wave }),
  );
  follow(group, context, 'go', 'Start the group that waits for a go.', (core, wave) => core.call('wave.go', { wave }));
  follow(group, context, 'retry', 'Start the members again that did not complete.', (core, wave) =>
    core.call('wave.retry', { wave }),
  );
  cancelWave(group, context);
};

const helpers = () => import('../project/waves.ts');

const listWaves: CommandRegistrar = (group, context) => {
  const command = group.command('list').description('List the waves, with how far their members are.');
  inProject(command).action(
    context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
      const [{ withProject }, { print }, { waveTable }] = await Promise.all([
        import('../project/with-project.ts'),
        import('../output/print.ts'),
        import('../output/wave-text.ts'),
      ]);
      const [waves, replicas] = await withProject(options, context, (core) =>
        Promise.all([core.call('wave.list', {}), core.call('replica.list', {})]),
      );
      const members = Map.groupBy(replicas, ({ wave }) => wave);
      const rows = waves.map(({ members: _count, ...wave }) => ({
        ...wave,
        replicas: (members.get(wave.name) ?? []).map(({ name }) => name),
      }));
      print(context, options, rows, () => waveTable(waves));
      return 0;
    }),
  );
};

const suggestWaves: CommandRegistrar = (group, context) => {
  const command = group
    .command('suggest')
    .description(
      'Suggest waves for an imported list, within limits. Nothing is created without --create. Exit status 1 when the quotas of the destination are too small for all waves together.',
    )
    .argument('<list>', 'an imported list: causeway inventory list')
    .option(
      '--by <criterion>',
      'what VMs are kept together by: application, owner, cluster, host, folder, tags, annotation, size, flows (default: application)',
    )
    .option(
      '--flows <file>',
      'CSV file of connections between VMs with the columns source, destination, bytes; keeps VMs together that talk to each other',
    )
    .option('--machines <number>', 'VMs per wave', '100')
    .option('--tib <number>', 'TiB of disks per wave')
    .option('--vcpus <number>', 'vCPUs per wave')
    .option('--memory <GiB>', 'memory per wave')
    .option('--volumes <number>', 'volumes per wave')
    .option('--hours <number>', 'length of the window that the copies of a wave have to fit into, with --limit')
    .option('--limit <rate>', 'bandwidth, e.g. 50M or 400Mbit')
    .option(
      '--change <amount>',
      'what changes on a VM in a day where executions have not measured it: 5% of its disks, or 10GiB (default: nothing)',
    )
    .option(
      '--last-pass-only',
      'only the last pass is in the window: the VMs are synchronised every day until then. VMs without a change rate count in full',
    )
    .option('--source <endpoint>', 'take measured change rates only from replicas of this endpoint')
    .option('--destination <endpoint>', 'keep to the free quotas of its last catalog')
    .option('--name <name>', 'what the names of the waves begin with', 'Wave')
    .option('--create', 'create the waves, with a replica of each VM (needs --source and --destination)');
  inProject(command).action(
    context.run(async (list: string, options: SuggestWavesOptions): Promise<ExitStatus> => {
      const { suggestWavesOf } = await import('../project/suggest-waves.ts');
      return suggestWavesOf(list, options, context);
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
      const { inWaves } = await helpers();
      await inWaves(options, context, (core) => core.call('wave.create', { wave, replicas }));
      return done(context, options, { wave, replicas });
    }),
  );
};

const assignReplicas: CommandRegistrar = (group, context) => {
  const command = group
    .command('assign')
    .description('Move replicas to a wave, all of them or none.')
    .argument('<wave>', 'its name')
    .argument('<replicas...>', 'names or ids');
  inProject(command).action(
    context.run(async (wave: string, replicas: string[], options: ProjectOptions): Promise<ExitStatus> => {
      const { inWave } = await helpers();
      await inWave(wave, options, context, (core) => core.call('wave.assign', { wave, replicas }));
      return done(context, options, { wave, replicas });
    }),
  );
};

const showWave: CommandRegistrar = (group, context) => {
  const command = group
    .command('show')
    .description('Show the members of a wave, their order, and what keeps them from being ready.')
    .argument('<wave>', 'its name');
  inProject(command).action(
    context.run(async (wave: string, options: ProjectOptions): Promise<ExitStatus> => {
      const [{ inWave }, { print }, { waveText }] = await Promise.all([
        helpers(),
        import('../output/print.ts'),
        import('../output/wave-text.ts'),
      ]);
      const detail = await inWave(wave, options, context, (core) => core.call('wave.show', { wave }));
      print(context, options, [detail], () => waveText(detail));
      return 0;
    }),
  );
};

const estimateWave: CommandRegistrar = (group, context) => {
  const command = group
    .command('estimate')
    .description(
      'Estimate from what was measured how long a wave will take, its downtime, and what it needs at the destination. Nothing is contacted.',
    )
    .argument('<wave>', 'its name')
    .option('--action <action>', waveActions.join(', '), 'cut-over')
    .option('--at-once <number>', 'how many members run in parallel (default: the plan)')
    .option('--limit <rate>', 'bandwidth of all members together, e.g. 50M or 400Mbit')
    .option('--prices <file>', 'CSV file with the columns item, per, price, currency');
  inProject(command).action(
    context.run(
      async (
        wave: string,
        options: ProjectOptions & { action: string; atOnce?: string; limit?: string; prices?: string },
      ): Promise<ExitStatus> => {
        const [
          { inWave },
          { print },
          { estimateText },
          { readInputText },
          { priceProblemText, readPriceList },
          { parseRate },
        ] = await Promise.all([
          helpers(),
          import('../output/print.ts'),
          import('../output/estimate-text.ts'),
          import('../project/read-files.ts'),
          import('../../../shared/reports/price-list.ts'),
          import('../../../shared/model/bandwidth-profile.ts'),
        ]);
        const action = waveActions.find((known) => known === options.action);
        if (action === undefined) throw new UsageError(`--action must be ${waveActions.join(', ')}`);
        const prices = options.prices === undefined ? undefined : readPriceList(readInputText(options.prices));
        if (prices !== undefined && prices.problems.length > 0)
          throw new UsageError(`${options.prices}: ${prices.problems.map(priceProblemText).join('; ')}`);
        const bytesPerSecond = options.limit === undefined ? undefined : parseRate(options.limit);
        if (bytesPerSecond === 0) throw new UsageError('--limit must be a rate, or unlimited');
        const estimate = await inWave(wave, options, context, (core) =>
          core.call('wave.estimate', {
            wave,
            action,
            ...(options.atOnce === undefined ? {} : { atOnce: Number(options.atOnce) }),
            ...(bytesPerSecond === undefined ? {} : { bytesPerSecond }),
          }),
        );
        print(context, options, [estimate], () => estimateText(estimate, prices));
        return estimate.fits === false ||
          estimate.windowEndedAt !== undefined ||
          estimate.quotas.some(({ needed, free }) => needed > free)
          ? 1
          : 0;
      },
    ),
  );
};

const collect = (value: string, before: string[] = []): string[] => [...before, value];

const planWave: CommandRegistrar = (group, context) => {
  const command = group
    .command('plan')
    .description(
      "Change when and in which order a wave is done. Options that are not given stay as they are. The plan is kept in the wave's file.",
    )
    .argument('<wave>', 'its name')
    .option('--description <text>', 'what the wave is')
    .option('--owner <name>', 'who is responsible')
    .option('--window <moment>', 'when its window begins: "2026-11-28 22:00 Europe/Berlin"')
    .option('--hours <number>', 'how long the window is (default: 4)')
    .option('--starts-with <action>', `what starts by itself when the window begins: ${waveActions.join(', ')}`)
    .option(
      '--rehearsal-network <network>',
      "destination network for all NICs of the wave's rehearsals, also of those that start by themselves; they are deleted after 4 hours",
    )
    .option('--if-missed <policy>', 'when the computer slept through the beginning: ask, skip, catch-up')
    .option(
      '--synchronise <schedule>',
      'synchronise repeatedly: "02:00 Europe/Berlin mon,thu"; without days, every day',
    )
    .option(
      '--black-out <times>',
      'nothing starts by itself in this time: "2026-11-27 08:00 2026-11-27 18:00 Europe/Berlin" (repeatable)',
      collect,
    )
    .option('--at-once <number>', 'how many members are processed in parallel')
    .option(
      '--limit-profile <profile>',
      'bandwidth of each execution by time of day, e.g. "mon-fri 08:00-18:00=20M; *=unlimited"',
    )
    .option(
      '--group <members>',
      'members that come before those of later groups: Databases=db-01,db-02 (repeatable, in order)',
      collect,
    )
    .option('--go <group>', 'a person has to start this group (repeatable)', collect)
    .option('--after <order>', 'a replica starts after others completed: app-01=db-01 (repeatable)', collect)
    .option(
      '--clear <key>',
      'remove a part of the plan: window, startsWith, rehearsalNetwork, ifMissed, synchronisation, blackOuts, bandwidth, atOnce, groups, after, owner, description (repeatable)',
      collect,
    );
  inProject(command).action(
    context.run(async (wave: string, options: PlanOptions & ProjectOptions): Promise<ExitStatus> => {
      const [{ inWave }, { changedPlan }, { print }, { waveText }] = await Promise.all([
        helpers(),
        import('../project/wave-plan-options.ts'),
        import('../output/print.ts'),
        import('../output/wave-text.ts'),
      ]);
      const detail = await inWave(wave, options, context, async (core) => {
        const { plan = {} } = await core.call('wave.show', { wave });
        return core.call('wave.plan', { wave, plan: changedPlan(plan, options) });
      });
      print(context, options, [detail], () => waveText(detail));
      return 0;
    }),
  );
};

interface StartOptions extends ProjectOptions {
  readonly action: string;
  readonly atOnce?: string;
  readonly skipMorphing?: boolean;
  readonly bootCheck?: string;
  readonly network?: string;
  readonly sourceIsStopped?: boolean;
}

const startWave: CommandRegistrar = (group, context) => {
  const command = group
    .command('start')
    .description('Start all members in their order, and show them until they end or a group waits for a go.')
    .argument('<wave>', 'its name')
    .option(
      '--action <action>',
      `${waveActions.join(', ')}: copy what changed; deploy beside the source; stop the source, copy the rest and deploy`,
      'synchronise',
    )
    .option('--at-once <number>', "how many members are processed in parallel (default: the plan's, or 4)")
    .option(
      '--network <network>',
      'rehearse: destination network for all NICs, else that of the plan; one is needed. The rehearsals are deleted after 4 hours',
    )
    .option(
      '--source-is-stopped',
      'cut-over: you have shut down the sources of all members; Causeway does not contact them for that',
    )
    .option('--skip-morphing', 'rehearse and cut-over: leave the guests as they are')
    .option('--boot-check <mode>', 'rehearse and cut-over: auto, network, console, none');
  inProject(command).action(
    context.run(async (wave: string, options: StartOptions): Promise<ExitStatus> => {
      const action = actionOf(options.action);
      const atOnce = options.atOnce === undefined ? undefined : Number(options.atOnce);
      if (atOnce !== undefined && !(Number.isInteger(atOnce) && atOnce >= 1 && atOnce <= 32))
        throw new UsageError('--at-once must be a number from 1 to 32');
      if (options.network !== undefined && action !== 'rehearse')
        throw new UsageError('--network is for --action rehearse');
      if (options.sourceIsStopped === true && action !== 'cut-over')
        throw new UsageError('--source-is-stopped is for --action cut-over');
      const deployment = {
        ...(options.network === undefined ? {} : { rehearsal: { network: options.network } }),
        ...(options.sourceIsStopped === true ? { sourceIsStopped: true } : {}),
        ...(options.skipMorphing === true ? { skipMorphing: true } : {}),
        ...(options.bootCheck === undefined ? {} : { bootCheck: { mode: bootModeOf(options.bootCheck) } }),
      };
      return followed(wave, options, context, async (core) => {
        const inProjectAtOnce = (await core.call('queue.show', {})).atOnce;
        if (atOnce !== undefined && atOnce > inProjectAtOnce) {
          context.stderr.write(
            `Only ${inProjectAtOnce} of them run in parallel in this project. To change that: causeway execution parallel ${atOnce}\n`,
          );
        }
        return core.call('wave.start', {
          wave,
          action,
          options: { deployment },
          ...(atOnce === undefined ? {} : { atOnce }),
        });
      });
    }),
  );
};

function actionOf(text: string): WaveAction {
  const action = waveActions.find((known) => known === text);
  if (action === undefined) throw new UsageError(`--action must be ${waveActions.join(', ')}`);
  return action;
}

const bootModes = ['auto', 'network', 'console', 'none'] as const;
function bootModeOf(text: string): (typeof bootModes)[number] {
  const mode = bootModes.find((known) => known === text);
  if (mode === undefined) throw new UsageError(`--boot-check must be ${bootModes.join(', ')}`);
  return mode;
}

async function followed(
  wave: string,
  options: ProjectOptions,
  context: RegistrationContext,
  start: (core: CoreClient) => Promise<WaveRun>,
): Promise<ExitStatus> {
  const [{ inWave }, { followWave }] = await Promise.all([helpers(), import('../project/follow-wave.ts')]);
  return inWave(wave, options, context, (core) => followWave(core, wave, () => start(core), options, context));
}

function follow(
  group: Command,
  context: RegistrationContext,
  name: string,
  description: string,
  start: (core: CoreClient, wave: string) => Promise<WaveRun>,
): void {
  const command = group.command(name).description(description).argument('<wave>', 'its name');
  inProject(command).action(
    context.run((wave: string, options: ProjectOptions) =>
      followed(wave, options, context, (core) => start(core, wave)),
    ),
  );
}

function control(
  group: Command,
  context: RegistrationContext,
  name: string,
  description: string,
  ask: (core: CoreClient, wave: string) => Promise<WaveRun>,
): void {
  const command = group.command(name).description(description).argument('<wave>', 'its name');
  inProject(command).action(
    context.run(async (wave: string, options: ProjectOptions): Promise<ExitStatus> => {
      const [{ inWave }, { print }, { runText }] = await Promise.all([
        helpers(),
        import('../output/print.ts'),
        import('../output/wave-text.ts'),
      ]);
      const run = await inWave(wave, options, context, (core) => ask(core, wave));
      print(context, options, [run], () => `${runText(run) ?? ''}\n`);
      return 0;
    }),
  );
}

const cancelWave: CommandRegistrar = (group, context) => {
  const command = group
    .command('cancel')
    .description('Start nothing more, and cancel the executions and deployments in progress.')
    .argument('<wave>', 'its name')
    .option('--let-finish', 'let those in progress finish');
  inProject(command).action(
    context.run((wave: string, options: ProjectOptions & { readonly letFinish?: boolean }) =>
      followed(wave, options, context, (core) =>
        core.call('wave.cancel', { wave, letFinish: options.letFinish === true }),
      ),
    ),
  );
};

const reportWave: CommandRegistrar = (group, context) => {
  const command = group
    .command('report')
    .description('Print the state of a wave as Markdown: facts, members, and what holds them back.')
    .argument('<wave>', 'its name');
  inProject(command).action(
    context.run(async (wave: string, options: ProjectOptions): Promise<ExitStatus> => {
      const [{ inWave }, { print }, { waveReport }] = await Promise.all([
        helpers(),
        import('../output/print.ts'),
        import('../output/wave-report.ts'),
      ]);
      const detail = await inWave(wave, options, context, (core) => core.call('wave.show', { wave }));
      print(context, options, [detail], () => waveReport(detail, new Date()));
      return 0;
    }),
  );
};

const renameWave: CommandRegistrar = (group, context) => {
  const command = group
    .command('rename')
    .description('Rename a wave. Its replicas, settings and plan are kept.')
    .argument('<wave>', 'its name')
    .argument('<name>', 'the new name');
  inProject(command).action(
    context.run(async (wave: string, name: string, options: ProjectOptions): Promise<ExitStatus> => {
      const { inWave } = await helpers();
      await inWave(wave, options, context, (core) => core.call('wave.rename', { wave, name }));
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
      const { inWave } = await helpers();
      await inWave(wave, options, context, (core) => core.call('defaults.removeWave', { wave }));
      return done(context, options, { wave });
    }),
  );
};

async function done(
  context: RegistrationContext,
  options: ProjectOptions,
  { wave, replicas }: { readonly wave: string; readonly replicas?: readonly string[] },
): Promise<ExitStatus> {
  const { pairs, print } = await import('../output/print.ts');
  print(context, options, [{ wave, ...(replicas === undefined ? {} : { replicas }) }], () =>
    pairs({ wave, ...(replicas === undefined || replicas.length === 0 ? {} : { replicas: replicas.join(', ') }) }),
  );
  return 0;
}
