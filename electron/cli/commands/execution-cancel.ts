import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerExecutionCancel: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'execution', 'Runs of replicas.')
    .command('cancel')
    .description('Ask an execution to stop and clean up. Works from any terminal.')
    .argument('<execution>', 'id; or a replica, for its last execution')
    .option('--force', 'leave the clean-up too; the ledger knows what is left then');
  inProject(command).action(
    context.run(async (execution: string, options: ProjectOptions & { force?: boolean }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      await withProject(options, context, (core) => core.call('execution.cancel', { execution, force: options.force === true }));
      return 0;
    }),
  );
};
