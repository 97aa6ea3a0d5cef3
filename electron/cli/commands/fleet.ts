import { inProject, type CommandRegistrar, type ExitStatus, type ProjectOptions } from '../command-context.ts';
import type { ConfigureOptions } from '../project/fleet-configure.ts';
import type { JoinOptions } from '../project/fleet.ts';

/** `causeway fleet …` */
export const registerFleet: CommandRegistrar = (program, context) => {
  const group = program.command('fleet');
  for (const add of [
    configureFleet,
    joinFleet,
    showFleet,
    workInFleet,
    drainMember,
    limitFleet,
    hurryInFleet,
    resolveInFleet,
    verifyFleet,
    leaveFleet,
  ])
    add(group, context);
};

const configureFleet: CommandRegistrar = (group, context) => {
  group
    .command('configure')
    .description(
      'Write the account of a project for the configuration of nats-server, with a key for each user. The servers hold the roles: viewers read, operators work on replicas, owners also make the streams.',
    )
    .argument('<user:role...>', 'for example alice:owner bob:operator carol:viewer')
    .requiredOption('--name <name>', "the project's name in the fleet")
    .requiredOption('--output <folder>', 'folder for account.conf and the seed of each user; existing seeds are kept')
    .action(
      context.run(async (users: string[], options: ConfigureOptions): Promise<ExitStatus> => {
        const { configureServers } = await import('../project/fleet-configure.ts');
        return configureServers(users, options, context);
      }),
    );
};

const joinFleet: CommandRegistrar = (group, context) => {
  inProject(group.command('join'))
    .description("Make this computer a member of the project's fleet. The servers are contacted once.")
    .argument('<server...>', 'nats://host:port or tls://host:port')
    .requiredOption(
      '--name <name>',
      "the project's name in the fleet, the same on all members: lower-case letters, digits, hyphens",
    )
    .option('--user <user>', 'user of the NATS account')
    .option('--password-file <file>', 'file with the password of the user')
    .option('--credentials <file>', 'credentials file of NATS instead of user and password')
    .option('--seed <file>', "file with the seed of the user's key, as causeway fleet configure makes it")
    .option('--ca <file>', 'CA certificate of the servers')
    .option('--cert <file>', 'client certificate')
    .option('--key <file>', 'its private key')
    .option('--copies <number>', 'how many servers keep each record: 1, 3 or 5', '1')
    .option(
      '--claim-seconds <seconds>',
      'after this time without a sign of life, others continue what a member has left',
      '30',
    )
    .option(
      '--carry <number>',
      'how many executions of the fleet this computer carries out in parallel; 0: none, for a computer on which people only plan. Default: the concurrency of the project',
    )
    .option(
      '--reach <endpoint...>',
      'names of the endpoints that this computer reaches. Default: all that are accepted here',
    )
    .action(
      context.run(async (servers: string[], options: JoinOptions): Promise<ExitStatus> => {
        const { joinProject } = await import('../project/fleet.ts');
        return joinProject(servers, options, context);
      }),
    );
};

const showFleet: CommandRegistrar = (group, context) => {
  inProject(group.command('status', { isDefault: true }))
    .description('Show which member works on which replica, who is there, what waits for what, and what is limited.')
    .action(
      context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
        const { fleetStatus } = await import('../project/fleet.ts');
        return fleetStatus(options, context);
      }),
    );
};

const workInFleet: CommandRegistrar = (group, context) => {
  inProject(group.command('work'))
    .description(
      'Stay a member until interrupted: carry out what waits in the fleet, and continue what other members have left. Needs the vault to be opened by a key file or a passphrase file.',
    )
    .action(
      context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
        const { fleetWork } = await import('../project/fleet.ts');
        return fleetWork(options, context);
      }),
    );
};

const drainMember: CommandRegistrar = (group, context) => {
  inProject(group.command('drain'))
    .description(
      'Have a member take nothing new, for example before its computer is switched off. What it has under way it carries out.',
    )
    .argument('<member>', 'its name, as causeway fleet status shows it')
    .option('--undo', 'let it take work again')
    .action(
      context.run(
        async (member: string, options: ProjectOptions & { readonly undo?: boolean }): Promise<ExitStatus> => {
          const { fleetDrain } = await import('../project/fleet.ts');
          return fleetDrain(member, options, context);
        },
      ),
    );
};

const limitFleet: CommandRegistrar = (group, context) => {
  inProject(group.command('limit'))
    .description(
      'Limit how many executions of the whole fleet use something at the same time. Those that a person starts on a computer of their own are not held back.',
    )
    .argument(
      '<name>',
      '"endpoint NAME", "link SOURCE > DESTINATION", "host ENDPOINT/HOST" or "datastore ENDPOINT/DATASTORE"; the last two as inventories name them',
    )
    .argument('<number>', 'at least 1; or none')
    .action(
      context.run(async (name: string, number: string, options: ProjectOptions): Promise<ExitStatus> => {
        const { fleetLimit } = await import('../project/fleet.ts');
        return fleetLimit(name, number, options, context);
      }),
    );
};

const hurryInFleet: CommandRegistrar = (group, context) => {
  inProject(group.command('urgent'))
    .description('Put what waits of a replica before everything in the fleet that is not urgent.')
    .argument('<replica>', 'name or id')
    .option('--undo', 'put it back')
    .action(
      context.run(
        async (replica: string, options: ProjectOptions & { readonly undo?: boolean }): Promise<ExitStatus> => {
          const { fleetUrgent } = await import('../project/fleet.ts');
          return fleetUrgent(replica, options, context);
        },
      ),
    );
};

const resolveInFleet: CommandRegistrar = (group, context) => {
  inProject(group.command('resolve'))
    .description(
      'Show the difference of a description that was changed here and on another computer, and decide which change to keep. Exit status 1 if nothing was decided.',
    )
    .argument('<file>', 'the file, as causeway fleet status names it')
    .option('--mine', 'keep the file on this computer')
    .option('--theirs', 'keep the file of the fleet; the one on this computer is replaced')
    .action(
      context.run(
        async (
          file: string,
          options: ProjectOptions & { readonly mine?: boolean; readonly theirs?: boolean },
        ): Promise<ExitStatus> => {
          const { fleetResolve } = await import('../project/fleet.ts');
          return fleetResolve(file, options, context);
        },
      ),
    );
};

const verifyFleet: CommandRegistrar = (group, context) => {
  inProject(group.command('verify'))
    .description(
      'Read all journals and check that each epoch has one writer, that nothing was created twice, and what is left.',
    )
    .action(
      context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
        const { fleetVerify } = await import('../project/fleet.ts');
        return fleetVerify(options, context);
      }),
    );
};

const leaveFleet: CommandRegistrar = (group, context) => {
  inProject(group.command('leave'))
    .description("Make the project this computer's alone. What is on the servers stays.")
    .action(
      context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
        const { leaveProject } = await import('../project/fleet.ts');
        return leaveProject(options, context);
      }),
    );
};
