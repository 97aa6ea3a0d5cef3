import { setTimeout } from 'node:timers/promises';
import { isTerminalExecution } from '../../../shared/model/execution.ts';
import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerExecutionCancel: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'execution', 'Executions of replicas.')
    .command('cancel')
    .description('Cancel an execution and clean up. Works from any terminal.')
    .argument('<execution>', 'id; or a replica, for its last execution')
    .option('--force', 'skip the clean-up too; what is left is in the ledger');
  inProject(command).action(
    context.run(async (execution: string, options: ProjectOptions & { force?: boolean }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const text = await withProject(options, context, async (core) => {
        const before = await core.call('execution.show', { execution });
        await core.call('execution.cancel', { execution: before.id, force: options.force === true });
        if (before.state !== 'interrupted') return `Cancelling ${before.id}. It cleans up first: causeway execution show ${before.id}\n`;
        // Nobody else runs it: the clean-up happens here.
        context.stderr.write(`Cleaning up after ${before.id}, which was interrupted …\n`);
        const { problemText } = await import('../output/execution-text.ts');
        for (;;) {
          const now = await core.call('execution.show', { execution: before.id });
          if (isTerminalExecution(now.state) || now.state === 'interrupted') return `Execution ${now.id} is ${now.state}.\n${now.state === 'cancelled' ? '' : problemText(now)}`;
          await setTimeout(200, undefined, { signal: context.signal });
        }
      });
      context.stdout.write(text);
      return 0;
    }),
  );
};
