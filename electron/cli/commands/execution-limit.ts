import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerExecutionLimit: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'execution', 'Executions of replicas.')
    .command('limit')
    .description('Change the bandwidth limit of a running execution. Works from any terminal.')
    .argument('<execution>', 'id; or a replica, for its last execution')
    .argument('[rate]', 'bytes per second, e.g. 50M, 400Mbit, pause, unlimited')
    .option('--profile <profile>', 'limits by time of day, e.g. "mon-fri 08:00-18:00=20M; *=unlimited"');
  inProject(command).action(
    context.run(async (execution: string, rate: string | undefined, options: ProjectOptions & { profile?: string }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { bandwidthOf } = await import('../project/execute-replica.ts');
      const limits = bandwidthOf({ ...(rate === undefined ? {} : { limit: rate }), ...(options.profile === undefined ? {} : { limitProfile: options.profile }) });
      await withProject(options, context, (core) => core.call('execution.limit', { execution, ...limits }));
      return 0;
    }),
  );
};
