import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerDeploymentDelete: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'deployment', 'Deployments: replicas made into running VMs.')
    .command('delete')
    .description('Delete a deployed VM with its volumes, network interfaces and addresses. Without --yes, only list them.')
    .argument('<deployment>', 'id; or a replica, for its last deployment')
    .option('--yes', 'delete them')
    .option('--dry-run', 'only list what would be deleted');
  inProject(command).action(
    context.run(async (deployment: string, options: ProjectOptions & { yes?: boolean; dryRun?: boolean }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { ledgerTable } = await import('../output/ledger-table.ts');
      const { print } = await import('../output/print.ts');
      const isMeant = options.yes === true && options.dryRun !== true;
      const say = (core: Parameters<Parameters<typeof withProject>[2]>[0], dryRun: boolean) =>
        core.call('deployment.delete', { deployment, dryRun }, { signal: context.signal });
      return withProject(options, context, async (core) => {
        const resources = await say(core, true);
        print(context, options, resources, () => `${isMeant ? 'Deleting:' : 'Would be deleted (add --yes to delete):'}\n${ledgerTable(resources)}`);
        if (isMeant) await say(core, false);
        return isMeant || options.dryRun === true ? 0 : 2;
      });
    }),
  );
};
