import { inProject, type CommandRegistrar, type ExitStatus, type ProjectOptions } from '../command-context.ts';

/** `causeway vm …` */
export const registerVm: CommandRegistrar = (program, context) => {
  const group = program.command('vm');
  for (const add of [listVms, showVm]) add(group, context);
};

const listVms: CommandRegistrar = (group, context) => {
  const command = group.command('list').description('List the VMs of a source.').argument('<endpoint>', 'name or id');
  inProject(command).action(
    context.run(async (endpoint: string, options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { bytes } = await import('../../../shared/model/quantities.ts');
      const { table, print } = await import('../output/print.ts');
      const vms = await withProject(options, context, (core) =>
        core.call('vm.list', { endpoint }, { signal: context.signal }),
      );
      // Only platforms with an inventory of folders have these.
      const places = vms.some(({ folder, cluster }) => folder !== undefined || cluster !== undefined);
      const tagged = vms.some(({ tags = [] }) => tags.length > 0);
      print(context, options, vms, () =>
        table(
          [
            'name',
            'id',
            'os',
            'power',
            'disks',
            'size',
            ...(places ? ['folder', 'cluster'] : []),
            ...(tagged ? ['tags'] : []),
          ],
          vms.map((vm) => [
            vm.name,
            vm.id,
            vm.os_type,
            vm.power,
            vm.diskCount,
            bytes(vm.totalBytes),
            ...(places ? [vm.folder ?? '', vm.cluster ?? ''] : []),
            ...(tagged ? [(vm.tags ?? []).join(', ')] : []),
          ]),
        ),
      );
      return 0;
    }),
  );
};

const showVm: CommandRegistrar = (group, context) => {
  const command = group
    .command('show')
    .description('Show a VM in the form that environment documents use.')
    .argument('<endpoint>', 'name or id')
    .argument('<vm>', 'name or id');
  inProject(command).action(
    context.run(async (endpoint: string, name: string, options: ProjectOptions): Promise<ExitStatus> => {
      const { stringify } = await import('yaml');
      const { withProject } = await import('../project/with-project.ts');
      const { print } = await import('../output/print.ts');
      const { vm, limits } = await withProject(options, context, async (core) => ({
        vm: await core.call('vm.show', { endpoint, vm: name }, { signal: context.signal }),
        limits: await core.call('vm.limits', { endpoint, vm: name }, { signal: context.signal }),
      }));
      // Comments, so that the text stays a document.
      print(context, options, [vm], () => `${limits.map((limit) => `# ${limit}\n`).join('')}${stringify({ vm })}`);
      return 0;
    }),
  );
};
