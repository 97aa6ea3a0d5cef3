import { Option } from 'commander';
import { ownVmEvidenceText } from '../../../shared/model/own-vm-evidence.ts';
import { mostOwnVmVolumes } from '../../../shared/model/own-vm-limits.ts';
import type { OwnVmView } from '../../../shared/model/own-vm.ts';
import type { WorkerPoolView } from '../../../shared/model/worker-pool.ts';
import {
  inProject,
  UsageError,
  type CommandContext,
  type CommandRegistrar,
  type ExitStatus,
  type ProjectOptions,
} from '../command-context.ts';

/** `causeway worker …` */
export const registerWorker: CommandRegistrar = (program, context) => {
  const group = program
    .command('worker')
    .description(
      'Disk copy workers: those that executions use in turn, where starting one takes longer than the copy, and this computer in their place.',
    );
  for (const add of [workerPool, drainPool, workerHere]) add(group, context);
};

interface PoolOptions extends ProjectOptions {
  readonly keep?: string;
  readonly minutes?: string;
}

const workerPool: CommandRegistrar = (group, context) => {
  const command = group
    .command('pool', { isDefault: true })
    .description(
      'Show or set how many workers the project keeps for each destination, and list them. Executions with the same destination environment share workers, one at a time.',
    )
    .option('--keep <number>', 'from 0 to 20; 0: each execution starts and deletes its own')
    .option('--minutes <number>', 'delete a worker that was unused for so long, from 1 to 1440');
  inProject(command).action(
    context.run(async (options: PoolOptions): Promise<ExitStatus> => {
      const keep = wholeNumber('--keep', options.keep, 0, 20);
      const minutes = wholeNumber('--minutes', options.minutes, 1, 1440);
      const { withProject } = await import('../project/with-project.ts');
      const pool = await withProject(options, context, async (core) => {
        const present = await core.call('workers.pool', {});
        if (keep === undefined && minutes === undefined) return present;
        return core.call('workers.setPool', {
          keep: keep ?? present.keep,
          ...(minutes === undefined ? {} : { minutes }),
        });
      });
      return printed(pool, options, context);
    }),
  );
};

const drainPool: CommandRegistrar = (group, context) => {
  inProject(group.command('drain').description('Delete the workers that no execution uses.')).action(
    context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      return printed(
        await withProject(options, context, (core) => core.call('workers.drain', {}, { signal: context.signal })),
        options,
        context,
      );
    }),
  );
};

interface HereOptions extends ProjectOptions {
  readonly endpoint?: string;
  readonly destination?: string;
  readonly vm?: string;
  readonly volumes?: string;
  readonly off?: true;
}

const workerHere: CommandRegistrar = (group, context) => {
  const command = group
    .command('here')
    .description(
      'Show or set the VM of a destination or source that the engine runs on, such as a mover. Volumes of the destination, and copies of disks of the source, are attached to it, and no worker is started for the copy.',
    )
    .option('--endpoint <endpoint>', 'the endpoint that it is a VM of, as a source and as a destination')
    // Its name while only destinations had this.
    .addOption(new Option('--destination <endpoint>', 'the same as --endpoint').hideHelp().conflicts('endpoint'))
    .option(
      '--vm <id>',
      "the ID that the cloud has for it; without it, the VM that the metadata service or the firmware of the engine's computer names",
    )
    .option(
      '--volumes <number>',
      `at the same time, from 1 to ${mostOwnVmVolumes}; executions that need more start a worker (default: 12)`,
    )
    .option('--off', 'start workers again');
  inProject(command).action(
    context.run(
      async ({
        destination,
        endpoint = destination,
        vm,
        volumes: given,
        off,
        ...options
      }: HereOptions): Promise<ExitStatus> => {
        const volumes = wholeNumber('--volumes', given, 1, mostOwnVmVolumes);
        if (off === true && (vm !== undefined || volumes !== undefined))
          throw new UsageError('--off takes no --vm and no --volumes');
        if (endpoint === undefined && (vm !== undefined || off === true || volumes !== undefined))
          throw new UsageError('--endpoint says of which cloud the VM is');
        const { withProject } = await import('../project/with-project.ts');
        const { print, table } = await import('../output/print.ts');
        const [vms, set] = await withProject(options, context, async (core): Promise<[OwnVmView[], OwnVmView?]> => {
          if (endpoint === undefined) return [await core.call('workers.ownVms', {})];
          if (off === true) return [await core.call('workers.removeOwnVm', { endpoint })];
          // Another number alone leaves the VM as it was given.
          const known =
            vm ??
            (volumes === undefined
              ? undefined
              : (await core.call('workers.ownVms', {})).find(
                  (one) => one.endpointId === endpoint || one.endpointName === endpoint,
                )?.vmId);
          const view = await core.call(
            'workers.setOwnVm',
            { endpoint, ...(known === undefined ? {} : { vm: known }), ...(volumes === undefined ? {} : { volumes }) },
            { signal: context.signal },
          );
          return [
            (await core.call('workers.ownVms', {})).map((one) => (one.endpointId === view.endpointId ? view : one)),
            view,
          ];
        });
        const found =
          set?.foundBy === undefined
            ? ''
            : `VM ${set.vmName} (${set.vmId}) was found by ${ownVmEvidenceText(set.foundBy)}.\n`;
        print(
          context,
          options,
          vms,
          () =>
            found +
            (vms.length === 0
              ? 'The engine runs on no VM that is known here: workers are started for each execution.\n'
              : table(
                  ['endpoint', 'VM', 'ID', 'volumes in parallel', 'attached'],
                  vms.map((one) => [one.endpointName, one.vmName, one.vmId, one.volumes, one.inUse]),
                )),
        );
        return 0;
      },
    ),
  );
};

async function printed(pool: WorkerPoolView, options: ProjectOptions, context: CommandContext): Promise<ExitStatus> {
  const { moment, print, table } = await import('../output/print.ts');
  print(
    context,
    options,
    [pool],
    () =>
      `${pool.keep === 0 ? 'Each execution starts its own worker.' : `Workers kept for each destination: ${pool.keep}, unused for at most ${pool.minutes} min`}\n${table(
        ['worker', 'execution', 'executions', 'started', 'unused since'],
        pool.workers.map(({ id, executionId, uses, startedAt, idleSince }) => [
          id,
          executionId,
          uses,
          moment(startedAt),
          moment(idleSince),
        ]),
      )}`,
  );
  return 0;
}

function wholeNumber(option: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > most)
    throw new UsageError(`${option} must be from ${least} to ${most}`);
  return value;
}
