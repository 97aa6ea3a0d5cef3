import type { CoreClient } from '../../../shared/contract/core-client.ts';
import type { MachineLife } from '../../../shared/model/machine-life.ts';
import {
  inProject,
  UsageError,
  type CommandRegistrar,
  type ExitStatus,
  type ProjectOptions,
} from '../command-context.ts';
import { type DeployOptions, withDeployOptions } from '../project/deploy-flags.ts';

/** `causeway rehearsal …` */
export const registerRehearsal: CommandRegistrar = (program, context) => {
  const group = program.command('rehearsal');
  for (const add of [startRehearsal, endRehearsal]) add(group, context);
};

/** `causeway cutover …` */
export const registerCutover: CommandRegistrar = (program, context) => {
  const group = program.command('cutover');
  for (const add of [approve, withdraw, startCutover, rollBack, finalise, runbook]) add(group, context);
};

const startRehearsal: CommandRegistrar = (group, context) => {
  const command = group
    .command('start')
    .description(
      'Deploy a replica into isolated networks, run its checks, and keep it for a while. The source and the replica are not affected.',
    )
    .argument('<replica>', 'name or id')
    .option('--network <network>', 'destination network for all NICs')
    .option('--map <source=network...>', 'destination network for a source network')
    .option('--keep <time>', 'how long to keep it, e.g. 30m, 4h, 2d (default 4h)');
  inProject(withDeployOptions(command)).action(
    context.run(
      async (
        replica: string,
        options: DeployOptions & { network?: string; map?: readonly string[]; keep?: string },
      ): Promise<ExitStatus> => {
        const { deploymentOptions } = await import('../project/deploy-options.ts');
        const { deployReplica } = await import('../project/deploy-replica.ts');
        const networks = Object.fromEntries((options.map ?? []).map(pairOf));
        const rehearsal = {
          ...(options.network === undefined ? {} : { network: options.network }),
          ...(Object.keys(networks).length === 0 ? {} : { networks }),
          ...(options.keep === undefined ? {} : { keepMinutes: minutesOf(options.keep) }),
        };
        return deployReplica(
          replica,
          { ...(await deploymentOptions(options)), purpose: 'rehearsal', rehearsal },
          options,
          context,
        );
      },
    ),
  );
};

const endRehearsal: CommandRegistrar = (group, context) => {
  const command = group
    .command('end')
    .description(
      'Delete a rehearsal, or all that have expired. The workbench deletes them by itself while a project is open.',
    )
    .argument('[deployment]', 'id; or a replica, for its last deployment')
    .option('--expired', 'delete all that have expired');
  inProject(command).action(
    context.run(
      async (deployment: string | undefined, options: ProjectOptions & { expired?: boolean }): Promise<ExitStatus> => {
        if ((deployment === undefined) !== (options.expired === true))
          throw new UsageError('give a deployment, or --expired');
        const { withProject } = await import('../project/with-project.ts');
        const { table, print } = await import('../output/print.ts');
        const ended = await withProject(options, context, (core) =>
          core.call('rehearsal.end', deployment === undefined ? { expired: true } : { deployment }, {
            signal: context.signal,
          }),
        );
        print(context, options, ended, () =>
          table(
            ['replica', 'deployment', 'result', 'error'],
            ended.map((one) => [one.replicaName, one.deploymentId, one.outcome, one.error]),
          ),
        );
        return ended.every(({ outcome }) => outcome === 'deleted') ? 0 : 1;
      },
    ),
  );
};

const approve: CommandRegistrar = (group, context) => {
  const command = group
    .command('approve')
    .description('Approve the cut-over of VMs with their present settings.')
    .argument('<replicas...>', 'names or ids')
    .option('--by <name>', 'who approved it (default: you)')
    .option('--note <text>', 'e.g. the number of the change request');
  inProject(command).action(
    context.run(
      async (replicas: string[], options: ProjectOptions & { by?: string; note?: string }): Promise<ExitStatus> => {
        const { by, note } = options;
        return lifeOfEach(context)(replicas, options, (core, replica) =>
          core.call('replica.approve', {
            replica,
            ...(by === undefined ? {} : { by }),
            ...(note === undefined ? {} : { note }),
          }),
        );
      },
    ),
  );
};

const withdraw: CommandRegistrar = (group, context) => {
  const command = group
    .command('withdraw')
    .description('Withdraw the approval of VMs.')
    .argument('<replicas...>', 'names or ids')
    .option('--by <name>', 'who withdrew it (default: you)');
  inProject(command).action(
    context.run(async (replicas: string[], options: ProjectOptions & { by?: string }): Promise<ExitStatus> =>
      lifeOfEach(context)(replicas, options, (core, replica) =>
        core.call('replica.withdrawApproval', { replica, ...(options.by === undefined ? {} : { by: options.by }) }),
      ),
    ),
  );
};

const startCutover: CommandRegistrar = (group, context) => {
  const command = group
    .command('start')
    .description(
      'Copy the changes, shut down the source, copy the last changes, deploy and run the checks. Resumes if interrupted before.',
    )
    .argument('<replica>', 'name or id')
    .option('--source-is-stopped', 'you have shut down the source; Causeway does not contact it for that');
  inProject(withDeployOptions(command)).action(
    context.run(
      async (replica: string, options: DeployOptions & { sourceIsStopped?: boolean }): Promise<ExitStatus> => {
        const { deploymentOptions } = await import('../project/deploy-options.ts');
        const { deployReplica } = await import('../project/deploy-replica.ts');
        const passes =
          options.sourceIsStopped === true ? { sourceIsStopped: true, execute: {} } : { execute: { lastPass: true } };
        return deployReplica(
          replica,
          { ...(await deploymentOptions(options)), purpose: 'cut-over', ...passes },
          options,
          context,
        );
      },
    ),
  );
};

const rollBack: CommandRegistrar = (group, context) => {
  const command = group
    .command('rollback')
    .description(
      'Roll back a cut-over, also a failed one: delete the deployed VM, start the source. Possible until the VM is finalised.',
    )
    .argument('<replica>', 'name or id')
    .option('--by <name>', 'who decided it (default: you)')
    .option('--source-started-by-hand', 'you start the source yourself; Causeway does not contact it');
  inProject(command).action(
    context.run(
      async (
        replica: string,
        options: ProjectOptions & { by?: string; sourceStartedByHand?: boolean },
      ): Promise<ExitStatus> =>
        lifeOfEach(context)([replica], options, (core) =>
          core.call(
            'replica.rollBack',
            {
              replica,
              sourceStartedByHand: options.sourceStartedByHand === true,
              ...(options.by === undefined ? {} : { by: options.by }),
            },
            { signal: context.signal },
          ),
        ),
    ),
  );
};

const finalise: CommandRegistrar = (group, context) => {
  const command = group
    .command('finalise')
    .description(
      'Release what a VM that runs at its destination no longer needs: source snapshots, change tracking, replica volumes. Ends the possibility to roll back. Without --yes, only list them.',
    )
    .argument('<replica>', 'name or id')
    .option('--by <name>', 'who decided it (default: you)')
    .option('--yes', 'release them');
  inProject(command).action(
    context.run(
      async (replica: string, options: ProjectOptions & { by?: string; yes?: boolean }): Promise<ExitStatus> => {
        const { withProject } = await import('../project/with-project.ts');
        const { table, print } = await import('../output/print.ts');
        const { lifeTable } = await import('../output/life-text.ts');
        const isMeant = options.yes === true;
        const { resources, stays, life } = await withProject(options, context, (core) =>
          core.call(
            'replica.finalise',
            { replica, dryRun: !isMeant, ...(options.by === undefined ? {} : { by: options.by }) },
            { signal: context.signal },
          ),
        );
        print(context, options, [{ resources, stays, life }], () =>
          [
            isMeant ? '' : 'Would be released (add --yes to release):\n',
            table(
              ['kind', 'name', 'side', 'result', 'error'],
              resources.map((one) => [one.kind, one.name, one.side, one.outcome, one.error]),
            ),
            stays.length === 0
              ? ''
              : `\nStays, as it belongs to the VM:\n${table(
                  ['kind', 'name', 'id'],
                  stays.map((item) => [item.kind, item.name, item.resourceId]),
                )}`,
            `\n${lifeTable([life], Date.now())}`,
          ].join(''),
        );
        if (!isMeant) return 2;
        return resources.every(({ outcome }) => outcome === 'released') ? 0 : 1;
      },
    ),
  );
};

const runbook: CommandRegistrar = (group, context) => {
  const command = group
    .command('runbook')
    .description(
      'Write the runbook of a cut-over: steps, owners, expected times, go/no-go and roll-back for each VM, in the order of the wave.',
    )
    .argument('[replicas...]', 'names or ids; default: those of the wave')
    .option('--wave <wave>', 'all replicas of a wave')
    .option('--title <title>', 'its heading')
    .option('--output <file>', 'file that ends in .md or .html (default: print Markdown)');
  inProject(command).action(
    context.run(
      async (
        named: string[],
        options: ProjectOptions & { wave?: string; title?: string; output?: string },
      ): Promise<ExitStatus> => {
        const { writeFile } = await import('node:fs/promises');
        const { withProject } = await import('../project/with-project.ts');
        const format =
          options.output?.toLowerCase().endsWith('.html') === true ? ('html' as const) : ('markdown' as const);
        const { document } = await withProject(options, context, async (core) => {
          const members =
            options.wave === undefined
              ? []
              : (await core.call('replica.list', {})).filter(({ wave }) => wave === options.wave).map(({ id }) => id);
          const replicas = [...named, ...members];
          if (replicas.length === 0)
            throw new UsageError(
              options.wave === undefined
                ? 'name replicas, or a wave with --wave'
                : `wave ${options.wave} has no replicas`,
            );
          return core.call('replica.runbook', {
            replicas,
            format,
            ...(options.title === undefined ? {} : { title: options.title }),
          });
        });
        if (options.output === undefined) context.stdout.write(document);
        else await writeFile(options.output, document);
        return 0;
      },
    ),
  );
};

/** Does something with each replica and prints where they stand then. */
function lifeOfEach(context: Parameters<CommandRegistrar>[1]) {
  return async (
    replicas: readonly string[],
    options: ProjectOptions,
    work: (core: CoreClient, replica: string) => Promise<MachineLife>,
  ): Promise<ExitStatus> => {
    const { withProject } = await import('../project/with-project.ts');
    const { print } = await import('../output/print.ts');
    const { lifeTable } = await import('../output/life-text.ts');
    const lives = await withProject(options, context, async (core) => {
      const done: MachineLife[] = [];
      for (const replica of replicas) done.push(await work(core, replica));
      return done;
    });
    print(context, options, lives, () => lifeTable(lives, Date.now()));
    return 0;
  };
}

/** @throws UsageError */
function pairOf(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1 || at === text.length - 1) throw new UsageError(`--map must be source=network, not "${text}"`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** @throws UsageError */
function minutesOf(text: string): number {
  const found = /^(\d{1,6})(m|h|d)$/.exec(text);
  const minutes = Number(found?.[1]) * { m: 1, h: 60, d: 1440 }[(found?.[2] ?? 'm') as 'm' | 'h' | 'd'];
  if (found === null || minutes < 1 || minutes > 43_200)
    throw new UsageError('--keep must be a time from 1m to 30d, e.g. 30m, 4h, 2d');
  return minutes;
}
