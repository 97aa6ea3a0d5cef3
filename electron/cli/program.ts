import { Command, CommanderError } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { CausewayError, fromErrorRecord, toErrorRecord } from '../../shared/model/causeway-error.ts';
import { errorText } from '../../shared/model/errors/catalogue.ts';
import { systemFailure } from '../../shared/model/system-failure.ts';
import { commandHint } from './output/problem-text.ts';
import { UsageError, type CommandContext, type CommandRegistrar, type ExitStatus, type RegistrationContext } from './command-context.ts';
import { registerDeployment, registerMigration } from './commands/deployment.ts';
import { registerDoctor } from './commands/doctor.ts';
import { registerDocuments } from './commands/documents.ts';
import { registerCatalog, registerEndpoint } from './commands/endpoint.ts';
import { registerExecution } from './commands/execution.ts';
import { registerEvidence } from './commands/evidence.ts';
import { registerGuest } from './commands/guest.ts';
import { registerInterchange } from './commands/interchange.ts';
import { registerInventory } from './commands/inventory.ts';
import { registerLedger } from './commands/ledger.ts';
import { registerFleet } from './commands/fleet.ts';
import { registerMover } from './commands/mover.ts';
import { registerCutover, registerRehearsal } from './commands/life.ts';
import { registerProject, registerTrust } from './commands/project.ts';
import { registerReplica } from './commands/replica.ts';
import { registerVault } from './commands/vault.ts';
import { registerVm } from './commands/vm.ts';
import { registerWave } from './commands/wave.ts';

/** Every command, by its noun, in the order of the help. */
const registrars: readonly CommandRegistrar[] = [
  registerDocuments,
  registerEndpoint,
  registerVm,
  registerGuest,
  registerInventory,
  registerInterchange,
  registerCatalog,
  registerReplica,
  registerWave,
  registerExecution,
  registerDeployment,
  registerMigration,
  registerRehearsal,
  registerCutover,
  registerEvidence,
  registerLedger,
  registerProject,
  registerTrust,
  registerVault,
  registerMover,
  registerFleet,
  registerDoctor,
];

/** In the order in which users need them. */
const groups: Readonly<Record<string, readonly string[]>> = {
  'Without a connection:': ['validate', 'explain', 'schema', 'doctor'],
  'Set up a project:': ['vault', 'endpoint', 'trust', 'project', 'mover', 'fleet', 'interchange'],
  'Plan:': ['vm', 'guest', 'inventory', 'catalog', 'wave'],
  'Move VMs:': ['replica', 'execution', 'deployment', 'migration', 'rehearsal', 'cutover'],
  'Prove:': ['evidence'],
  'Clean up:': ['ledger'],
};

const afterHelp = `
First steps, in an empty folder:
  causeway vault init
  causeway endpoint add images --plugin disk-images --set path=/srv/images
  causeway endpoint add cloud --plugin european-cloud --connection cloud.yaml
  causeway endpoint check cloud
  causeway vm list images
  causeway replica create images web-01 cloud --environment web-01.yaml
  causeway replica execute web-01
  causeway replica deploy web-01
The manual explains each step: docs/manual/first-migration.md

Environment:
  CAUSEWAY_PROJECT          the project's folder, where --project is not given
  CAUSEWAY_MOVER            the mover that has the project, where --on is not given
  CAUSEWAY_KEY_FILE         the key file that opens the vault
  CAUSEWAY_PASSPHRASE_FILE  a file with the passphrase that opens the vault
  CAUSEWAY_USER_FOLDER      the folder that records trusted projects; default: your settings folder

Exit status: 0 success, 1 failure or errors found, 2 incorrect usage or interrupted.`;

/** Runs one command line (without the interpreter and the script) and answers with its exit status. */
export async function runProgram(argv: readonly string[], context: CommandContext): Promise<ExitStatus> {
  let status: ExitStatus = 0;
  const program = createProgram({
    ...context,
    run: (implementation) => async (...values) => {
      status = await implementation(...values);
    },
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return status;
  } catch (error) {
    return explainFailure(error, context);
  }
}

/** The command line with all of its commands. */
export function createProgram(context: RegistrationContext): Command {
  const program = new Command('causeway')
    .description('Moves virtual machines between clouds and hypervisors.')
    .version(packageJson.version, '--version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
    })
    .showHelpAfterError('(add --help for the options)')
    .addHelpText('after', afterHelp);
  for (const register of registrars) register(program, context);
  // A command that was made on its own and added with addCommand does not inherit it.
  for (const command of allCommands(program)) command.exitOverride();
  for (const [group, names] of Object.entries(groups)) for (const command of program.commands) if (names.includes(command.name())) command.helpGroup(group);
  return program;
}

function* allCommands(command: Command): Iterable<Command> {
  for (const child of command.commands) {
    yield child;
    yield* allCommands(child);
  }
}

/** Says what went wrong on standard error; commander has already written its own messages. */
function explainFailure(error: unknown, context: CommandContext): ExitStatus {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError) {
    context.stderr.write(`causeway: ${error.message}\n`);
    return 2;
  }
  if (error instanceof Error && error.name === 'AbortError') {
    context.stderr.write('causeway: stopped\n');
    return 2;
  }
  const failure = error instanceof CausewayError || systemFailure(error) === undefined ? error : fromErrorRecord(toErrorRecord(error));
  if (failure instanceof CausewayError) {
    const text = errorText(failure.code);
    context.stderr.write(`causeway: ${text.title}: ${failure.message}\n  ${text.remedy}\n${commandHint(failure.code)}  [${failure.code}]\n`);
    return 1;
  }
  context.stderr.write(`causeway: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 2;
}
