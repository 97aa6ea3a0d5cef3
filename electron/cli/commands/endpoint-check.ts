import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

interface CheckOptions extends ProjectOptions {
  readonly last?: true;
}

export const registerEndpointCheck: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'endpoint', 'Endpoints: the clouds and hypervisors of the project.')
    .command('check')
    .description('Check whether an endpoint is reachable and usable. Exit status 1 if it is not.')
    .argument('<endpoint>', 'name or id')
    .option('--last', 'show the result of the last check instead of checking');
  inProject(command).action(
    context.run(async (endpoint: string, options: CheckOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { table } = await import('../output/table.ts');
      const { print } = await import('../output/print.ts');
      const { moment } = await import('../output/quantities.ts');
      const { kept, ...report } = await withProject(options, context, async (core) => {
        if (options.last !== true) return { kept: undefined, ...(await core.call('endpoint.check', { endpoint }, { signal: context.signal })) };
        const { name, lastCheck } = await core.call('endpoint.get', { endpoint });
        if (lastCheck === undefined) throw new CausewayError('engine.not-found', `endpoint ${name} was never checked`);
        return { kept: lastCheck, ...lastCheck };
      });
      const heading = kept === undefined ? '' : `Checked ${moment(kept.at) ?? ''}${kept.isOutdated ? ', before the endpoint was last changed' : ''}\n`;
      print(context, options, [report], () => heading + table(['outcome', 'step', 'evidence'], report.steps.map((step) => [step.outcome, step.name, step.evidence])));
      return report.passed ? 0 : 1;
    }),
  );
};
