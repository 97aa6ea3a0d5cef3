import { type Command, Option } from 'commander';
import type { Deployment } from '../../../shared/model/deployment.ts';
import {
  inProject,
  type CommandRegistrar,
  type ExitStatus,
  type ProjectOptions,
  type RegistrationContext,
} from '../command-context.ts';
import { type DeployOptions, withDeployOptions } from '../project/deploy-flags.ts';
import type { ExecuteOptions } from '../project/execute-replica.ts';
import { runState } from '../output/run-state.ts';
import { runList } from '../project/run-list.ts';

/** `causeway deployment …` */
export const registerDeployment: CommandRegistrar = (program, context) => {
  const group = program.command('deployment');
  for (const add of [
    createDeployment,
    listDeployments,
    showDeployment,
    resumeDeployment,
    cancelDeployment,
    deleteDeployment,
  ])
    add(group, context);
};

/** `replica deploy` and `deployment create` are one command under two names. */
function addDeploy(command: Command, context: RegistrationContext): void {
  const description =
    'Deploy a replica as a running VM. Resumes if interrupted before. Ctrl-C cancels and rolls back; press it again to skip the roll-back.';
  inProject(withDeployOptions(command.description(description).argument('<replica>', 'name or id'))).action(
    context.run(async (replica: string, options: DeployOptions): Promise<ExitStatus> => {
      const { deploymentOptions } = await import('../project/deploy-options.ts');
      const { deployReplica } = await import('../project/deploy-replica.ts');
      return deployReplica(replica, await deploymentOptions(options), options, context);
    }),
  );
}

export const deployReplica: CommandRegistrar = (group, context) => addDeploy(group.command('deploy'), context);
const createDeployment: CommandRegistrar = (group, context) => addDeploy(group.command('create'), context);

const listDeployments = runList<Deployment>({
  what: 'deployments',
  columns: ['id', 'replica', 'number', 'state', 'server', 'addresses', 'started', 'ended'],
  async read(core, input) {
    return {
      runs: await core.call('deployment.list', input),
      cells: (one, moment) => [
        one.id,
        one.replicaName,
        one.number,
        runState(one),
        one.server?.name,
        one.server?.addresses.join(' '),
        moment(one.startedAt),
        moment(one.finishedAt),
      ],
    };
  },
});

const showDeployment: CommandRegistrar = (group, context) => {
  const command = group
    .command('show')
    .description('Show the steps of a deployment, the changes to the guest, its console and its resources.')
    .argument('<deployment>', 'id; or a replica, for its last deployment')
    .option('--events', 'also list its events');
  inProject(command).action(
    context.run(async (reference: string, options: ProjectOptions & { events?: boolean }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { deploymentText } = await import('../output/deployment-text.ts');
      const { moment, print } = await import('../output/print.ts');
      const { deployment, events } = await withProject(options, context, async (core) => ({
        deployment: await core.call('deployment.show', { deployment: reference }),
        events:
          options.events === true ? await core.call('deployment.events', { deployment: reference, limit: 10_000 }) : [],
      }));
      print(context, options, [deployment, ...events], () =>
        [deploymentText(deployment), ...events.map((event) => `${moment(event.at)}  ${event.message}\n`)].join(''),
      );
      return 0;
    }),
  );
};

const resumeDeployment: CommandRegistrar = (group, context) => {
  const command = group
    .command('resume')
    .description('Resume an interrupted deployment, or all of them. Ctrl-C cancels.')
    .argument('[deployment]', 'id; or a replica, for its last deployment; default: all interrupted ones');
  inProject(command).action(
    context.run(async (reference: string | undefined, options: ProjectOptions): Promise<ExitStatus> => {
      const { resumeDeployments } = await import('../project/deploy-replica.ts');
      return resumeDeployments(reference, options, context);
    }),
  );
};

const cancelDeployment: CommandRegistrar = (group, context) => {
  const command = group
    .command('cancel')
    .description('Cancel a deployment and roll it back. Works from any terminal.')
    .argument('<deployment>', 'id; or a replica, for its last deployment')
    .option('--force', 'skip the clean-up too; what is left is in the ledger');
  inProject(command).action(
    context.run(async (deployment: string, options: ProjectOptions & { force?: boolean }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      await withProject(options, context, (core) =>
        core.call('deployment.cancel', { deployment, force: options.force === true }),
      );
      return 0;
    }),
  );
};

const deleteDeployment: CommandRegistrar = (group, context) => {
  const command = group
    .command('delete')
    .description(
      'Delete a deployed VM with its volumes, network interfaces and addresses. Without --yes, only list them.',
    )
    .argument('<deployment>', 'id; or a replica, for its last deployment')
    .option('--yes', 'delete them')
    .option('--dry-run', 'only list what would be deleted');
  inProject(command).action(
    context.run(
      async (
        deployment: string,
        options: ProjectOptions & { yes?: boolean; dryRun?: boolean },
      ): Promise<ExitStatus> => {
        const { withProject } = await import('../project/with-project.ts');
        const { ledgerTable } = await import('../output/project-tables.ts');
        const { print } = await import('../output/print.ts');
        const isMeant = options.yes === true && options.dryRun !== true;
        const say = (core: Parameters<Parameters<typeof withProject>[2]>[0], dryRun: boolean) =>
          core.call('deployment.delete', { deployment, dryRun }, { signal: context.signal });
        return withProject(options, context, async (core) => {
          const resources = await say(core, true);
          print(
            context,
            options,
            resources,
            () => `${isMeant ? 'Deleting:' : 'Would be deleted (add --yes to delete):'}\n${ledgerTable(resources)}`,
          );
          if (isMeant) await say(core, false);
          return isMeant || options.dryRun === true ? 0 : 2;
        });
      },
    ),
  );
};

/** `causeway migration` */
export const registerMigration: CommandRegistrar = (program, context) => {
  const command = program
    .command('migration')
    .argument('<replica>', 'name or id')
    .option('--shutdown-vm', 'after the copy, shut down the VM and copy the last changes')
    .option('--parallel-disks <number>', 'number of disks to copy in parallel')
    .addOption(
      new Option('--verify <scope>', 'which blocks to read back and compare')
        .choices(['none', 'written', 'all'])
        .default('written'),
    )
    .option('--limit <rate>', 'bytes per second, e.g. 50M, 400Mbit, pause')
    .option('--limit-profile <profile>', 'limits by time of day, e.g. "mon-fri 08:00-18:00=20M; *=unlimited"');
  inProject(withDeployOptions(command)).action(
    context.run(async (replica: string, options: ExecuteOptions & DeployOptions): Promise<ExitStatus> => {
      const { deploymentOptions } = await import('../project/deploy-options.ts');
      const { deployReplica } = await import('../project/deploy-replica.ts');
      const { executionOptions } = await import('../project/execute-replica.ts');
      const { shutdownVm = false, ...copy } = executionOptions(options);
      const asked = { ...(await deploymentOptions(options)), execute: { options: copy, lastPass: shutdownVm } };
      return deployReplica(replica, asked, options, context);
    }),
  );
};
