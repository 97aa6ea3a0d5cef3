import { Option } from 'commander';
import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { withDeployOptions, type DeployOptions } from '../project/deploy-flags.ts';
import type { ExecuteOptions } from '../project/execute-replica.ts';
import { inProject } from '../project/project-options.ts';

export const registerMigration: CommandRegistrar = (program, context) => {
  const command = program
    .command('migration')
    .description('Execute a replica and deploy it in one go. Resumes if interrupted before.')
    .argument('<replica>', 'name or id')
    .option('--shutdown-vm', 'after the copy, shut down the VM and copy the last changes')
    .option('--parallel-disks <number>', 'number of disks to copy in parallel')
    .addOption(new Option('--verify <scope>', 'which blocks to read back and compare').choices(['none', 'written', 'all']).default('written'))
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
