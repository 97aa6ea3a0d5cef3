import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerTrustShow: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'trust', 'What the project may reach on this computer.')
    .command('show')
    .description('Show what the project reaches: addresses, programs, sockets, certificates and secrets by name, and what is not accepted yet. Exit status 1 if something is not accepted yet.');
  inProject(command).action(
    context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { trustText } = await import('../output/trust-text.ts');
      const { print } = await import('../output/print.ts');
      const report = await withProject(options, context, (core) => core.call('trust.show', {}));
      print(context, options, [report], () => trustText(report));
      return report.isAccepted && report.pending === 0 ? 0 : 1;
    }),
  );
};
