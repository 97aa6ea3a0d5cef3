import { Argument } from 'commander';
import { inProject, type CommandRegistrar, type ExitStatus, type ProjectOptions } from '../command-context.ts';

/** `causeway project …` */
export const registerProject: CommandRegistrar = (program, context) => {
  takeOver(program.command('project'), context);
};

const takeOver: CommandRegistrar = (group, context) => {
  const command = group
    .command('take-over')
    .description(
      'Use project data from another computer on this one from now on. The next execution of each replica compares whole disks.',
    );
  inProject(command).action(
    context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      await withProject(options, context, (core) => core.call('project.takeOver', {}, { signal: context.signal }));
      return 0;
    }),
  );
};

/** `causeway trust …` */
export const registerTrust: CommandRegistrar = (program, context) => {
  const group = program.command('trust');
  for (const add of [showTrust, acceptTrust, revokeTrust, setSharing]) add(group, context);
};

const showTrust: CommandRegistrar = (group, context) => {
  const command = group
    .command('show')
    .description(
      'Show what the project reaches: addresses, programs, sockets, certificates and secrets by name, and what is not accepted yet. Exit status 1 if something is not accepted yet.',
    );
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

const acceptTrust: CommandRegistrar = (group, context) => {
  const command = group
    .command('accept')
    .description('Show what the project reaches and accept it for this user on this computer. Asks on the terminal.')
    .option('--yes', 'accept without asking');
  inProject(command).action(
    context.run(async (options: ProjectOptions & { yes?: boolean }): Promise<ExitStatus> => {
      const { acceptTrust } = await import('../project/accept-trust.ts');
      return acceptTrust(options, context);
    }),
  );
};

const revokeTrust: CommandRegistrar = (group, context) => {
  const command = group
    .command('revoke')
    .description(
      'Stop trusting the project. No endpoint is contacted until the project is accepted again. Secrets stay in the vault.',
    );
  inProject(command).action(
    context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      await withProject(options, context, (core) => core.call('trust.revoke', {}));
      return 0;
    }),
  );
};

const setSharing: CommandRegistrar = (group, context) => {
  const command = group
    .command('sharing')
    .description(
      'Show or change whether endpoint addresses are written to the project files, for people who share the folder. Secrets are never written.',
    )
    .addArgument(
      new Argument('[state]', 'on: write addresses into the files; off: keep them on this computer only').choices([
        'on',
        'off',
      ]),
    );
  inProject(command).action(
    context.run(async (state: 'on' | 'off' | undefined, options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { print } = await import('../output/print.ts');
      const sharing = await withProject(options, context, (core) =>
        state === undefined
          ? core.call('project.sharing', {})
          : core.call('project.setSharing', { addresses: state === 'on' }),
      );
      print(context, options, [sharing], () => `Addresses in project files: ${sharing.addresses ? 'on' : 'off'}\n`);
      return 0;
    }),
  );
};
