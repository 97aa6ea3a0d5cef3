import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerReplicaShow: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'replica', 'Replicas: copies of VMs at a destination, kept up to date.')
    .command('show')
    .description('Show a replica, its disks and its last executions.')
    .argument('<replica>', 'name or id');
  inProject(command).action(
    context.run(async (reference: string, options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { bytes } = await import('../../../shared/model/quantities.ts');
      const { moment } = await import('../output/quantities.ts');
      const { pairs, table } = await import('../output/table.ts');
      const { print } = await import('../output/print.ts');
      const { replica, executions } = await withProject(options, context, async (core) => ({
        replica: await core.call('replica.show', { replica: reference }),
        executions: await core.call('execution.list', { replica: reference, limit: 5 }),
      }));
      print(context, options, [replica], () =>
        [
          pairs({ replica: replica.name, id: replica.id, vm: `${replica.vmName} (${replica.vmId})`, 'state of': moment(replica.lastSuccess) ?? 'never' }),
          table(['disk', 'size', 'volume', 'state of'], replica.disks.map((disk) => [disk.diskId, bytes(disk.sizeBytes), disk.volumeId, moment(disk.synchronisedTo) ?? 'never'])),
          table(['execution', 'number', 'state', 'ended'], executions.map((one) => [one.id, one.number, one.state, moment(one.finishedAt)])),
        ].filter((part) => part !== '').join('\n'));
      return 0;
    }),
  );
};
