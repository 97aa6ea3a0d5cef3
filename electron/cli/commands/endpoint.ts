import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { inProject, type CommandRegistrar, type ExitStatus, type ProjectOptions } from '../command-context.ts';

/** `causeway endpoint …` */
export const registerEndpoint: CommandRegistrar = (program, context) => {
  const group = program.command('endpoint');
  for (const add of [addEndpoint, listEndpoints, checkEndpoint, signIn, listPrivileges, removeEndpoint])
    add(group, context);
};

const addEndpoint: CommandRegistrar = (group, context) => {
  const command = group
    .command('add')
    .description('Add an endpoint. Secrets are stored in the vault; pass them as @file, not on the command line.')
    .argument('<name>')
    .requiredOption('--plugin <id>', 'the plugin, e.g. disk-images or european-cloud')
    .option('--connection <file>', 'YAML or JSON file with the connection parameters')
    .option('--set <key=value...>', 'one parameter: key=text, key=@file (its content), key:=json', collect)
    .option('--secret <key=name...>', 'one parameter, as the name of a secret in the vault', collect);
  inProject(command).action(
    context.run(
      async (
        name: string,
        options: ProjectOptions & { plugin: string; connection?: string; set?: string[]; secret?: string[] },
      ): Promise<ExitStatus> => {
        const { withProject } = await import('../project/with-project.ts');
        const { pluginIdOf, readConnection, refuseImpossible } = await import('../project/read-files.ts');
        const { pairs, print } = await import('../output/print.ts');
        const input = {
          name,
          plugin: pluginIdOf(options.plugin),
          connection: readConnection({ ...options, set: options.set ?? [], secret: options.secret ?? [] }),
        };
        refuseImpossible(input.plugin, input.connection);
        const endpoint = await withProject({ ...options, createProject: true }, context, (core) =>
          core.call('endpoint.add', input, { signal: context.signal }),
        );
        print(context, options, [endpoint], () =>
          pairs({ endpoint: endpoint.name, id: endpoint.id, plugin: endpoint.plugin }),
        );
        return 0;
      },
    ),
  );
};

function collect(value: string, former: string[] = []): string[] {
  return [...former, value];
}

const listEndpoints: CommandRegistrar = (group, context) => {
  const command = group.command('list').description('List the endpoints.');
  inProject(command).action(
    context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { moment, print, table } = await import('../output/print.ts');
      const endpoints = await withProject(options, context, (core) => core.call('endpoint.list', {}));
      print(context, options, endpoints, () =>
        table(
          ['name', 'plugin', 'id', 'last check'],
          endpoints.map(({ name, plugin, id, lastCheck }) => [
            name,
            plugin,
            id,
            lastCheck === undefined
              ? undefined
              : [
                  `${lastCheck.passed ? 'passed' : 'failed'} ${moment(lastCheck.at) ?? ''}`,
                  ...(lastCheck.isOutdated ? ['changed since'] : []),
                ].join(', '),
          ]),
        ),
      );
      return 0;
    }),
  );
};

const checkEndpoint: CommandRegistrar = (group, context) => {
  const command = group
    .command('check')
    .description('Check whether an endpoint is reachable and usable. Exit status 1 if it is not.')
    .argument('<endpoint>', 'name or id')
    .option('--last', 'show the result of the last check instead of checking');
  inProject(command).action(
    context.run(async (endpoint: string, options: ProjectOptions & { last?: true }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { moment, print, table } = await import('../output/print.ts');
      const { kept, ...report } = await withProject(options, context, async (core) => {
        if (options.last !== true)
          return { kept: undefined, ...(await core.call('endpoint.check', { endpoint }, { signal: context.signal })) };
        const { name, lastCheck } = await core.call('endpoint.get', { endpoint });
        if (lastCheck === undefined) throw new CausewayError('engine.not-found', `endpoint ${name} was never checked`);
        return { kept: lastCheck, ...lastCheck };
      });
      const heading =
        kept === undefined
          ? ''
          : `Checked ${moment(kept.at) ?? ''}${kept.isOutdated ? ', before the endpoint was last changed' : ''}\n`;
      print(
        context,
        options,
        [report],
        () =>
          heading +
          table(
            ['outcome', 'step', 'evidence'],
            report.steps.map((step) => [step.outcome, step.name, step.evidence]),
          ),
      );
      return report.passed ? 0 : 1;
    }),
  );
};

const signIn: CommandRegistrar = (group, context) => {
  const command = group
    .command('sign-in')
    .description(
      'Sign in at an endpoint that people sign in to: shows a code to enter in a browser, and waits. The session is stored in the vault.',
    )
    .argument('<endpoint>', 'name or id');
  inProject(command).action(
    context.run(async (endpoint: string, options: ProjectOptions): Promise<ExitStatus> => {
      const { randomUUID } = await import('node:crypto');
      const { withProject } = await import('../project/with-project.ts');
      const { moment, print } = await import('../output/print.ts');
      const attempt = randomUUID();
      const { account } = await withProject(options, context, (core) => {
        core.subscribe('endpoint.signIn', (told) => {
          if (told.attempt === attempt)
            context.stderr.write(
              `Open ${told.address} in a browser and enter the code ${told.code} before ${moment(told.expiresAt) ?? told.expiresAt}.\n`,
            );
        });
        return core.call('endpoint.signIn', { endpoint, attempt }, { signal: context.signal });
      });
      print(context, options, [{ account }], () => `Signed in as ${account}\n`);
      return 0;
    }),
  );
};

const listPrivileges: CommandRegistrar = (group, context) => {
  const command = group
    .command('policy')
    .description(
      'List the privileges that the account of an endpoint needs, by feature: what a role with least privilege is made of.',
    )
    .argument('<endpoint>', 'name or id')
    .option('--document', 'print a role or policy document that the tools of the platform take');
  inProject(command).action(
    context.run(
      async (endpoint: string, options: ProjectOptions & { readonly document?: true }): Promise<ExitStatus> => {
        const { withProject } = await import('../project/with-project.ts');
        const { print, table } = await import('../output/print.ts');
        if (options.document === true) {
          const { document } = await withProject(options, context, (core) =>
            core.call('endpoint.policyDocument', { endpoint }, { signal: context.signal }),
          );
          print(context, options, [{ document }], () => `${document ?? 'This platform has no policy document.'}\n`);
          return 0;
        }
        const features = await withProject(options, context, (core) =>
          core.call('endpoint.policy', { endpoint }, { signal: context.signal }),
        );
        print(context, options, features, () =>
          features.length === 0
            ? 'This platform has no list of privileges.\n'
            : table(
                ['privilege', 'feature', 'needed'],
                features.flatMap((one) =>
                  one.privileges.map((privilege) => [
                    privilege,
                    one.feature,
                    one.isEssential ? 'always' : 'for this feature',
                  ]),
                ),
              ),
        );
        return 0;
      },
    ),
  );
};

const removeEndpoint: CommandRegistrar = (group, context) => {
  const command = group
    .command('remove')
    .description('Remove an endpoint that no replica uses.')
    .argument('<endpoint>', 'name or id');
  inProject(command).action(
    context.run(async (endpoint: string, options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      await withProject(options, context, (core) => core.call('endpoint.remove', { endpoint }));
      return 0;
    }),
  );
};

/** `causeway catalog` */
export const registerCatalog: CommandRegistrar = (program, context) => {
  const command = program
    .command('catalog')
    .argument('<endpoint>', 'name or id')
    .option('--environment <file>', "environment document that sets the destination's project and zone")
    .option('-o, --output <file>', 'file to write; default: standard output');
  inProject(command).action(
    context.run(
      async (
        endpoint: string,
        options: ProjectOptions & { environment?: string; output?: string },
      ): Promise<ExitStatus> => {
        const { writeFile } = await import('node:fs/promises');
        const { withProject } = await import('../project/with-project.ts');
        const { readEnvironments } = await import('../project/read-files.ts');
        const environment = options.environment === undefined ? {} : readEnvironments(options.environment).destination;
        const catalog = await withProject(options, context, (core) =>
          core.call('catalog.capture', { endpoint, environment }, { signal: context.signal }),
        );
        const text =
          options.json === true ? `${JSON.stringify(catalog)}\n` : `${JSON.stringify(catalog, undefined, 2)}\n`;
        if (options.output === undefined) context.stdout.write(text);
        else await writeFile(options.output, text);
        return 0;
      },
    ),
  );
};
