import { Command, CommanderError, Help } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { CausewayError, fromErrorRecord, toErrorRecord } from '../../shared/model/causeway-error.ts';
import { systemFailure } from '../../shared/model/system-failure.ts';
import { UsageError, type CommandContext, type ExitStatus, type RegistrationContext } from './command-context.ts';
import { commandList } from './command-list.ts';

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
  const program = await createProgram(
    {
      ...context,
      run:
        (implementation) =>
        async (...values) => {
          status = await implementation(...values);
        },
    },
    argv[0],
  );
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return status;
  } catch (error) {
    return await explainFailure(error, context);
  }
}

/**
 * The command line with the command that `first` names, or with an outline of each for the overview; with all of them where
 * `first` is neither a command nor asks for the overview, or is not given.
 */
export async function createProgram(context: RegistrationContext, first?: string): Promise<Command> {
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
  if (first !== undefined && ['--help', '-h', '--version'].includes(first)) outline(program);
  else {
    const wanted = commandList.filter(({ name }) => name === first);
    const registrars = await Promise.all((wanted.length > 0 ? wanted : commandList).map(({ load }) => load()));
    for (const register of new Set(registrars)) register(program, context);
  }
  // A command that was made on its own and added with addCommand does not inherit it.
  for (const command of allCommands(program)) command.exitOverride();
  for (const { name, group, description } of commandList)
    program.commands
      .find((command) => command.name() === name)
      ?.helpGroup(group)
      .description(description);
  return program;
}

/** Commands by name alone. */
function outline(program: Command): void {
  const terms = new Map(commandList.map(({ name, usage }) => [name, usage === undefined ? name : `${name} ${usage}`]));
  for (const name of terms.keys()) program.command(name);
  const usual = new Help();
  program.configureHelp({ subcommandTerm: (command) => terms.get(command.name()) ?? usual.subcommandTerm(command) });
}

function* allCommands(command: Command): Iterable<Command> {
  for (const child of command.commands) {
    yield child;
    yield* allCommands(child);
  }
}

/** Says what went wrong on standard error; commander has already written its own messages. */
async function explainFailure(error: unknown, context: CommandContext): Promise<ExitStatus> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError) {
    context.stderr.write(`causeway: ${error.message}\n`);
    return 2;
  }
  if (error instanceof Error && error.name === 'AbortError') {
    context.stderr.write('causeway: stopped\n');
    return 2;
  }
  const failure =
    error instanceof CausewayError || systemFailure(error) === undefined
      ? error
      : fromErrorRecord(toErrorRecord(error));
  if (failure instanceof CausewayError) {
    const [{ errorText }, { commandHint }, { printableLines }] = await Promise.all([
      import('../../shared/model/errors/catalogue.ts'),
      import('./output/problem-text.ts'),
      import('./output/printable.ts'),
    ]);
    const text = errorText(failure.code);
    context.stderr.write(
      `causeway: ${text.title}: ${printableLines(failure.message)}\n  ${text.remedy}\n${commandHint(failure.code)}  [${failure.code}]\n`,
    );
    return 1;
  }
  context.stderr.write(`causeway: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 2;
}
