import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerEndpointCheck: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'endpoint', 'Endpoints: the clouds and hypervisors of the project.')
    .command('check')
    .description('Check whether an endpoint is reachable and usable. Exit status 1 if it is not.')
    .argument('<endpoint>', 'name or id');
  inProject(command).action(
    context.run(async (endpoint: string, options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { table } = await import('../output/table.ts');
      const { print } = await import('../output/print.ts');
      const report = await withProject(options, context, (core) => core.call('endpoint.check', { endpoint }, { signal: context.signal }));
      print(context, options, [report], () => table(['outcome', 'step', 'evidence'], report.steps.map((step) => [step.outcome, step.name, step.evidence])));
      return report.passed ? 0 : 1;
    }),
  );
};
