import { Option } from 'commander';
import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import type { ExecuteOptions } from '../project/execute-replica.ts';
import { commandGroup, inProject } from '../project/project-options.ts';

export const registerReplicaExecute: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'replica', 'Replicas: copies of VMs at a destination, kept up to date.')
    .command('execute')
    .description('Bring a replica up to date. Resumes if interrupted before. Ctrl-C cancels and cleans up; press it again to skip the clean-up.')
    .argument('<replica>', 'name or id')
    .option('--shutdown-vm', 'shut down the VM before its snapshot')
    .option('--parallel-disks <number>', 'number of disks to copy in parallel')
    .addOption(new Option('--verify <scope>', 'which blocks to read back and compare').choices(['none', 'written', 'all']).default('written'))
    .option('--limit <rate>', 'bytes per second, e.g. 50M, 400Mbit, pause')
    .option('--limit-profile <profile>', 'limits by time of day, e.g. "mon-fri 08:00-18:00=20M; *=unlimited"');
  inProject(command).action(
    context.run(async (replica: string, options: ExecuteOptions): Promise<ExitStatus> => {
      const { executeReplica } = await import('../project/execute-replica.ts');
      return executeReplica(replica, options, context);
    }),
  );
};
