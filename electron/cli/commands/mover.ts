import type { CommandRegistrar, ExitStatus, ProjectOptions } from '../command-context.ts';
import type { AddMoverOptions } from '../project/movers.ts';
import type { SuggestOptions } from '../project/suggest-mover.ts';

/** `causeway mover …` */
export const registerMover: CommandRegistrar = (program, context) => {
  const group = program.command('mover');
  for (const add of [addMover, listMovers, showMover, suggestMover, stopMover, uninstallMover]) add(group, context);
};

const addMover: CommandRegistrar = (group, context) => {
  group
    .command('add')
    .description(
      'Add a mover. Its host key, and those of jump hosts, must be in your known_hosts file, be given by --host-key, or be confirmed on the terminal.',
    )
    .argument('<name>', 'the name of the mover, used with --on')
    .argument(
      '<destination>',
      'user@host:port, or a host of your SSH configuration (jump hosts, user, port and identity files are taken from there)',
    )
    .option('--identity-file <file>', 'private key to sign in with; the SSH agent is asked as well')
    .option(
      '--host-key <host=fingerprint...>',
      'host keys that are trusted, each for one server: HOST=SHA256:… (port 22) or HOST:PORT=SHA256:…, with the address as it is shown, not an alias of your SSH configuration',
    )
    .option('--ssh-config <file>', 'the SSH configuration to read (default: ~/.ssh/config)')
    .option('--json', 'print JSON')
    .action(
      context.run(async (name: string, destination: string, options: AddMoverOptions): Promise<ExitStatus> => {
        const { addMover } = await import('../project/movers.ts');
        return addMover(name, destination, options, context);
      }),
    );
};

const listMovers: CommandRegistrar = (group, context) => {
  group
    .command('list', { isDefault: true })
    .description('List the movers that were added on this computer.')
    .option('--json', 'print JSON, one mover per line')
    .action(
      context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
        const { listMovers } = await import('../project/movers.ts');
        return listMovers(options, context);
      }),
    );
};

const showMover: CommandRegistrar = (group, context) => {
  group
    .command('show')
    .description(
      'Sign in to a mover, place the engine there if it is missing, and show which service runs for the project.',
    )
    .argument('<name>')
    .option(
      '--project <folder>',
      "the project's folder on the mover (default: $CAUSEWAY_PROJECT, or causeway-project in the home folder)",
    )
    .option('--json', 'print JSON')
    .action(
      context.run(async (name: string, options: ProjectOptions): Promise<ExitStatus> => {
        const { showMover } = await import('../project/movers.ts');
        return showMover(name, options, context);
      }),
    );
};

const suggestMover: CommandRegistrar = (group, context) => {
  group
    .command('suggest')
    .description(
      'Suggest through which computer data should flow. Both legs of a way, from the source and to the destination, are taken from executions in the project here and in those on movers, or given.',
    )
    .argument('[name...]', 'movers to compare (default: all)')
    .option('--source <endpoint>', 'only executions from this endpoint')
    .option('--destination <endpoint>', 'only executions to this endpoint')
    .option('--project <folder>', 'the project on this computer (default: $CAUSEWAY_PROJECT, or the current folder)')
    .option(
      '--mover-project <folder>',
      "the project's folder on movers (default: $CAUSEWAY_PROJECT, or causeway-project in the home folder)",
    )
    .option('--leg <leg=rate...>', 'a rate instead of what was measured: here:source=20M, site-a:destination=100Mbit')
    .option(
      '--size <bytes>',
      'how much is to be copied, e.g. 20T (default: all disks of the replicas between these endpoints)',
    )
    .option('--json', 'print JSON')
    .action(
      context.run(async (names: string[], options: SuggestOptions): Promise<ExitStatus> => {
        const { suggestMover } = await import('../project/suggest-mover.ts');
        return suggestMover(names, options, context);
      }),
    );
};

const stopMover: CommandRegistrar = (group, context) => {
  group
    .command('stop')
    .description(
      'Stop the service of a project on a mover. What runs there is cancelled in good order and can be resumed.',
    )
    .argument('<name>')
    .option('--project <folder>', "the project's folder on the mover")
    .action(
      context.run(async (name: string, options: ProjectOptions): Promise<ExitStatus> => {
        const { stopMover } = await import('../project/movers.ts');
        return stopMover(name, options, context);
      }),
    );
};

const uninstallMover: CommandRegistrar = (group, context) => {
  group
    .command('uninstall')
    .description('Stop all services on a mover and remove the engines from it. Projects there stay.')
    .argument('<name>')
    .option('--forget', 'also remove the mover from the list on this computer')
    .action(
      context.run(async (name: string, options: { readonly forget?: boolean }): Promise<ExitStatus> => {
        const { uninstallMover } = await import('../project/movers.ts');
        return uninstallMover(name, options, context);
      }),
    );
};
