import { Command, CommanderError } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { CausewayError, fromErrorRecord, toErrorRecord } from '../../shared/model/causeway-error.ts';
import { errorText } from '../../shared/model/errors/catalogue.ts';
import { systemFailure } from '../../shared/model/system-failure.ts';
import { commandHint } from './output/command-hint.ts';
import { UsageError, type CommandContext, type CommandRegistrar, type ExitStatus, type RegistrationContext } from './command-context.ts';
import { registerEndpointAdd } from './commands/endpoint-add.ts';
import { registerEndpointList } from './commands/endpoint-list.ts';
import { registerEndpointCheck } from './commands/endpoint-check.ts';
import { registerEndpointRemove } from './commands/endpoint-remove.ts';
import { registerVmList } from './commands/vm-list.ts';
import { registerVmShow } from './commands/vm-show.ts';
import { registerInventoryImport } from './commands/inventory-import.ts';
import { registerInventoryList } from './commands/inventory-list.ts';
import { registerInventoryRemove } from './commands/inventory-remove.ts';
import { registerCatalog } from './commands/catalog.ts';
import { registerReplicaCreate } from './commands/replica-create.ts';
import { registerReplicaUpdate } from './commands/replica-update.ts';
import { registerReplicaList } from './commands/replica-list.ts';
import { registerReplicaShow } from './commands/replica-show.ts';
import { registerReplicaExecute } from './commands/replica-execute.ts';
import { registerReplicaDelete } from './commands/replica-delete.ts';
import { registerExecutionList } from './commands/execution-list.ts';
import { registerExecutionShow } from './commands/execution-show.ts';
import { registerExecutionResume } from './commands/execution-resume.ts';
import { registerExecutionCancel } from './commands/execution-cancel.ts';
import { registerExecutionLimit } from './commands/execution-limit.ts';
import { registerReplicaDeploy } from './commands/replica-deploy.ts';
import { registerDeploymentList } from './commands/deployment-list.ts';
import { registerDeploymentShow } from './commands/deployment-show.ts';
import { registerDeploymentResume } from './commands/deployment-resume.ts';
import { registerDeploymentCancel } from './commands/deployment-cancel.ts';
import { registerDeploymentDelete } from './commands/deployment-delete.ts';
import { registerMigration } from './commands/migration.ts';
import { registerLedgerList } from './commands/ledger-list.ts';
import { registerLedgerOrphans } from './commands/ledger-orphans.ts';
import { registerLedgerRemove } from './commands/ledger-remove.ts';
import { registerProjectTakeOver } from './commands/project-take-over.ts';
import { registerWaveAssign, registerWaveCreate, registerWaveRemove, registerWaveRename } from './commands/wave-change.ts';
import { registerWaveList } from './commands/wave-list.ts';
import { registerTrustShow } from './commands/trust-show.ts';
import { registerTrustAccept } from './commands/trust-accept.ts';
import { registerTrustRevoke } from './commands/trust-revoke.ts';
import { registerTrustSharing } from './commands/trust-sharing.ts';
import { registerVaultInit } from './commands/vault-init.ts';
import { registerVaultSet } from './commands/vault-set.ts';
import { registerVaultList } from './commands/vault-list.ts';
import { registerVaultRemove } from './commands/vault-remove.ts';
import { registerDoctor } from './commands/doctor.ts';
import { registerExplain } from './commands/explain.ts';
import { registerSchema } from './commands/schema.ts';
import { registerValidate } from './commands/validate.ts';

/** Every command of the command line; a new one is a new file and a line here. */
const registrars: readonly CommandRegistrar[] = [
  registerValidate,
  registerExplain,
  registerSchema,
  registerEndpointAdd,
  registerEndpointList,
  registerEndpointCheck,
  registerEndpointRemove,
  registerVmList,
  registerVmShow,
  registerInventoryImport,
  registerInventoryList,
  registerInventoryRemove,
  registerCatalog,
  registerReplicaCreate,
  registerReplicaUpdate,
  registerReplicaList,
  registerReplicaShow,
  registerReplicaExecute,
  registerReplicaDelete,
  registerWaveList,
  registerWaveCreate,
  registerWaveAssign,
  registerWaveRename,
  registerWaveRemove,
  registerExecutionList,
  registerExecutionShow,
  registerExecutionResume,
  registerExecutionCancel,
  registerExecutionLimit,
  registerReplicaDeploy,
  registerDeploymentList,
  registerDeploymentShow,
  registerDeploymentResume,
  registerDeploymentCancel,
  registerDeploymentDelete,
  registerMigration,
  registerLedgerList,
  registerLedgerOrphans,
  registerLedgerRemove,
  registerProjectTakeOver,
  registerTrustShow,
  registerTrustAccept,
  registerTrustRevoke,
  registerTrustSharing,
  registerVaultInit,
  registerVaultSet,
  registerVaultList,
  registerVaultRemove,
  registerDoctor,
];

const afterHelp = `
Environment:
  CAUSEWAY_PROJECT          the project's folder, where --project is not given
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
