import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerDeploymentShow: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'deployment', 'Deployments: replicas made into running VMs.')
    .command('show')
    .description('Show the steps of a deployment, the changes to the guest, its console and its resources.')
    .argument('<deployment>', 'id; or a replica, for its last deployment')
    .option('--events', 'also list its events');
  inProject(command).action(
    context.run(async (reference: string, options: ProjectOptions & { events?: boolean }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { deploymentText } = await import('../output/deployment-text.ts');
      const { moment } = await import('../output/quantities.ts');
      const { print } = await import('../output/print.ts');
      const { deployment, events } = await withProject(options, context, async (core) => ({
        deployment: await core.call('deployment.show', { deployment: reference }),
        events: options.events === true ? await core.call('deployment.events', { deployment: reference, limit: 10_000 }) : [],
      }));
      print(context, options, [deployment, ...events], () =>
        [deploymentText(deployment), ...events.map((event) => `${moment(event.at)}  ${event.message}\n`)].join(''));
      return 0;
    }),
  );
};
