import { Option } from 'commander';
import {
  inProject,
  UsageError,
  type CommandRegistrar,
  type ExitStatus,
  type ProjectOptions,
} from '../command-context.ts';
import type { ExecuteOptions } from '../project/execute-replica.ts';
import { runState } from '../output/run-state.ts';
import { deployReplica } from './deployment.ts';
import { replicaChecks, replicaLife } from './replica-life.ts';

/** `causeway replica …` */
export const registerReplica: CommandRegistrar = (program, context) => {
  const group = program.command('replica');
  for (const add of [
    createReplica,
    updateReplica,
    listReplicas,
    showReplica,
    replicaLife,
    replicaChecks,
    executeReplica,
    deleteReplica,
    deployReplica,
  ])
    add(group, context);
};

const createReplica: CommandRegistrar = (group, context) => {
  const command = group
    .command('create')
    .description('Create a replica of a VM. Nothing is copied yet.')
    .argument('<source>', 'endpoint: name or id')
    .argument('<vm>', 'name or id')
    .argument('<destination>', 'endpoint: name or id')
    .option('--environment <file>', 'environment document with a source and a destination')
    .option('--provider-config <file>', 'INI file with the defaults of the provider')
    .option('--name <name>', 'default: the name of the VM')
    .option('--another', 'create it even if the VM already has a replica');
  inProject(command).action(
    context.run(
      async (
        source: string,
        vm: string,
        destination: string,
        options: ProjectOptions & { environment?: string; providerConfig?: string; name?: string; another?: boolean },
      ): Promise<ExitStatus> => {
        const { readInputText, readEnvironments } = await import('../project/read-files.ts');
        const { withProject } = await import('../project/with-project.ts');
        const { pairs, print } = await import('../output/print.ts');
        const environments =
          options.environment === undefined ? { source: {}, destination: {} } : readEnvironments(options.environment);
        const input = {
          source,
          destination,
          vm,
          ...(options.name === undefined ? {} : { name: options.name }),
          sourceEnvironment: environments.source,
          destinationEnvironment: environments.destination,
          ...(options.providerConfig === undefined
            ? {}
            : { providerConfiguration: readInputText(options.providerConfig) }),
        };
        const replica = await withProject(options, context, async (core) => {
          if (options.another !== true && options.name === undefined) {
            const from = (await core.call('endpoint.list', {})).find((one) => one.id === source || one.name === source);
            const existing = (await core.call('replica.list', {})).filter(
              (one) => one.sourceEndpointId === from?.id && (one.vmId === vm || one.vmName === vm),
            );
            if (existing.length > 0)
              throw new UsageError(
                `${vm} already has a replica: ${existing.map(({ name }) => name).join(', ')}. To create another replica, add --another`,
              );
          }
          return core.call('replica.create', input, { signal: context.signal });
        });
        print(context, options, [replica], () => pairs({ replica: replica.name, id: replica.id, vm: replica.vmName }));
        return 0;
      },
    ),
  );
};

type Options = ProjectOptions & { environment?: string; providerConfig?: string; name?: string; wave?: string | false };

const updateReplica: CommandRegistrar = (group, context) => {
  const command = group
    .command('update')
    .description('Update a replica’s settings. Options not given stay unchanged; the next execution uses them.')
    .argument('<replica>', 'name or id')
    .option('--environment <file>', 'environment document that replaces both environments')
    .option('--provider-config <file>', 'INI file with the defaults of the provider')
    .option('--name <name>', 'new name')
    .option('--wave <wave>', 'wave to inherit settings from')
    .option('--no-wave', 'remove it from its wave');
  inProject(command).action(
    context.run(async (replica: string, options: Options): Promise<ExitStatus> => {
      const { readInputText, readEnvironments } = await import('../project/read-files.ts');
      const { withProject } = await import('../project/with-project.ts');
      const { pairs, print } = await import('../output/print.ts');
      const environments = options.environment === undefined ? undefined : readEnvironments(options.environment);
      const input = {
        replica,
        ...(options.name === undefined ? {} : { name: options.name }),
        ...(environments === undefined
          ? {}
          : { sourceEnvironment: environments.source, destinationEnvironment: environments.destination }),
        ...(options.providerConfig === undefined
          ? {}
          : { providerConfiguration: readInputText(options.providerConfig) }),
        ...(typeof options.wave === 'string' ? { wave: options.wave } : options.wave === false ? { wave: null } : {}),
      };
      const { requireWave } = await import('../project/waves.ts');
      const changed = await withProject(options, context, async (core) => {
        if (typeof options.wave === 'string')
          requireWave(
            options.wave,
            (await core.call('defaults.show', {})).waves.map(({ name }) => name),
          );
        return core.call('replica.update', input, { signal: context.signal });
      });
      print(context, options, [changed], () =>
        pairs({ replica: changed.name, id: changed.id, wave: changed.wave ?? '' }),
      );
      return 0;
    }),
  );
};

const listReplicas: CommandRegistrar = (group, context) => {
  const command = group.command('list').description('List the replicas.');
  inProject(command).action(
    context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { moment, table, print } = await import('../output/print.ts');
      const { isTerminalExecution } = await import('../../../shared/model/execution.ts');
      const { lifeStateText, lifeStepText } = await import('../../../shared/reports/life-text.ts');
      const [replicas, lives, latest] = await withProject(options, context, (core) =>
        Promise.all([
          core.call('replica.list', {}),
          core.call('replica.life', {}),
          core.call('execution.list', { latest: true }),
        ]),
      );
      const running = new Map(
        latest.filter(({ state }) => !isTerminalExecution(state)).map((execution) => [execution.replicaId, execution]),
      );
      const lifeOf = new Map(lives.map((life) => [life.replicaId, life]));
      print(
        context,
        options,
        replicas.map((one) => ({
          ...one,
          life: lifeOf.get(one.id)?.state,
          next: lifeOf.get(one.id)?.next,
          execution: running.get(one.id),
        })),
        () =>
          table(
            ['name', 'vm', 'disks', 'state', 'next', 'execution', 'state of', 'id'],
            replicas.map((one) => {
              const life = lifeOf.get(one.id);
              const next = life === undefined ? '' : lifeStepText[life.next];
              return [
                one.name,
                one.vmName,
                one.disks.length,
                life === undefined ? undefined : lifeStateText[life.state],
                next === '' ? undefined : next,
                running.has(one.id) ? runState(running.get(one.id)!) : undefined,
                moment(one.lastSuccess) ?? 'never',
                one.id,
              ];
            }),
          ),
      );
      return 0;
    }),
  );
};

const showReplica: CommandRegistrar = (group, context) => {
  const command = group
    .command('show')
    .description('Show a replica, its disks and its last executions.')
    .argument('<replica>', 'name or id');
  inProject(command).action(
    context.run(async (reference: string, options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { bytes } = await import('../../../shared/model/quantities.ts');
      const { moment, pairs, table, print } = await import('../output/print.ts');
      const { replica, executions } = await withProject(options, context, async (core) => ({
        replica: await core.call('replica.show', { replica: reference }),
        executions: await core.call('execution.list', { replica: reference, limit: 5 }),
      }));
      print(context, options, [replica], () =>
        [
          pairs({
            replica: replica.name,
            id: replica.id,
            vm: `${replica.vmName} (${replica.vmId})`,
            'state of': moment(replica.lastSuccess) ?? 'never',
          }),
          table(
            ['disk', 'size', 'volume', 'state of'],
            replica.disks.map((disk) => [
              disk.diskId,
              bytes(disk.sizeBytes),
              disk.volumeId,
              moment(disk.synchronisedTo) ?? 'never',
            ]),
          ),
          table(
            ['execution', 'number', 'state', 'ended'],
            executions.map((one) => [one.id, one.number, runState(one), moment(one.finishedAt)]),
          ),
        ]
          .filter((part) => part !== '')
          .join('\n'),
      );
      return 0;
    }),
  );
};

const executeReplica: CommandRegistrar = (group, context) => {
  const command = group
    .command('execute')
    .description(
      'Bring a replica up to date. Resumes if interrupted before. Ctrl-C cancels and cleans up; press it again to skip the clean-up.',
    )
    .argument('<replica>', 'name or id')
    .option('--shutdown-vm', 'shut down the VM before its snapshot')
    .option('--parallel-disks <number>', 'number of disks to copy in parallel')
    .addOption(
      new Option('--verify <scope>', 'which blocks to read back and compare')
        .choices(['none', 'written', 'all'])
        .default('written'),
    )
    .option('--limit <rate>', 'bytes per second, e.g. 50M, 400Mbit, pause')
    .option('--limit-profile <profile>', 'limits by time of day, e.g. "mon-fri 08:00-18:00=20M; *=unlimited"')
    .option(
      '--in-fleet',
      'leave it to whichever member of the fleet has room and reaches both endpoints; the command returns immediately',
    )
    .option('--urgent', 'with --in-fleet: before everything that is not urgent');
  inProject(command).action(
    context.run(async (replica: string, options: ExecuteOptions): Promise<ExitStatus> => {
      const { executeReplica } = await import('../project/execute-replica.ts');
      return executeReplica(replica, options, context);
    }),
  );
};

const deleteReplica: CommandRegistrar = (group, context) => {
  const command = group
    .command('delete')
    .description('Delete a replica with its volumes on the destination and its base on the source.')
    .argument('<replica>', 'name or id')
    .requiredOption('--yes', 'really delete the volumes')
    .option(
      '--source-gone',
      'the source no longer exists: do not contact it; snapshots left there are listed and dropped from the records',
    );
  inProject(command).action(
    context.run(
      async (replica: string, options: ProjectOptions & { readonly sourceGone?: true }): Promise<ExitStatus> => {
        const { withProject } = await import('../project/with-project.ts');
        const { forgotten } = await withProject(options, context, (core) =>
          core.call(
            'replica.delete',
            { replica, sourceIsGone: options.sourceGone === true },
            { signal: context.signal },
          ),
        );
        if (forgotten.length > 0) context.stderr.write(`left on the source: ${forgotten.join(', ')}\n`);
        return 0;
      },
    ),
  );
};
