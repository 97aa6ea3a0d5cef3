import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerTrustSharing: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'trust', 'What the project may reach on this computer.')
    .command('sharing')
    .description('Show or change whether endpoint addresses are written to the project files, for people who share the folder. Secrets are never written.')
    .option('--on', 'write addresses into the files')
    .option('--off', 'keep addresses on this computer only');
  inProject(command).action(
    context.run(async (options: ProjectOptions & { on?: boolean; off?: boolean }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { print } = await import('../output/print.ts');
      const { UsageError } = await import('../command-context.ts');
      if (options.on === true && options.off === true) throw new UsageError('use --on or --off');
      const sharing = await withProject(options, context, (core) =>
        options.on === undefined && options.off === undefined ? core.call('project.sharing', {}) : core.call('project.setSharing', { addresses: options.on === true }));
      print(context, options, [sharing], () => `Addresses in project files: ${sharing.addresses ? 'on' : 'off'}\n`);
      return 0;
    }),
  );
};
