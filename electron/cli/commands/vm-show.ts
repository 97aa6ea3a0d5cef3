import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerVmShow: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'vm', 'VMs of source endpoints.')
    .command('show')
    .description('Show a VM in the form that environment documents use.')
    .argument('<endpoint>', 'name or id')
    .argument('<vm>', 'name or id');
  inProject(command).action(
    context.run(async (endpoint: string, name: string, options: ProjectOptions): Promise<ExitStatus> => {
      const { stringify } = await import('yaml');
      const { withProject } = await import('../project/with-project.ts');
      const { print } = await import('../output/print.ts');
      const vm = await withProject(options, context, (core) => core.call('vm.show', { endpoint, vm: name }, { signal: context.signal }));
      print(context, options, [vm], () => stringify({ vm }));
      return 0;
    }),
  );
};
