import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerVmList: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'vm', 'VMs of source endpoints.')
    .command('list')
    .description('List the VMs of a source.')
    .argument('<endpoint>', 'name or id');
  inProject(command).action(
    context.run(async (endpoint: string, options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { bytes } = await import('../../../shared/model/quantities.ts');
      const { table } = await import('../output/table.ts');
      const { print } = await import('../output/print.ts');
      const vms = await withProject(options, context, (core) => core.call('vm.list', { endpoint }, { signal: context.signal }));
      print(context, options, vms, () =>
        table(['name', 'id', 'os', 'power', 'disks', 'size'], vms.map((vm) => [vm.name, vm.id, vm.os_type, vm.power, vm.diskCount, bytes(vm.totalBytes)])));
      return 0;
    }),
  );
};
