import { basename, join } from 'node:path';
import { readFileSync } from 'node:fs';
import packageJson from '../../../package.json' with { type: 'json' };
import type { CoreClient } from '../../../shared/contract/core-client.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { EngineArchive } from '../../movers/engine-archive.ts';
import { answersInTime } from '../../movers/answer-in-time.ts';
import { moverBook } from '../../movers/mover-book.ts';
import { logInToMover, type SshSecrets } from '../../movers/mover-login.ts';
import type { MoverClient } from '../../movers/mover-client.ts';
import {
  archiveForMover,
  openOnMover,
  openRunningOnMover,
  type Installation,
  type OpenedOnMover,
} from '../../movers/open-on-mover.ts';
import type { SshConnection } from '../../engine/transport/ssh-connection.ts';
import type { CommandContext, MayCreate, ProjectOptions } from '../command-context.ts';
import { askSecretly, passphraseFromFile } from './unlock.ts';

/** The folder with the application's package.json: `out/main/cli.js` and its chunks lie two or three levels below. */
function applicationFolder(context: CommandContext): string {
  const entry = new URL(context.entry).pathname;
  return join(entry, '..', '..', '..');
}

/** How the command line answers what SSH asks: from files that the environment names, or typed on a terminal. */
export function sshSecrets(context: CommandContext): SshSecrets {
  return {
    agent: context.env['SSH_AUTH_SOCK'] || undefined,
    passphrase: (file) => askSecretly(context, `Passphrase of ${basename(file)}: `),
    async password({ about }) {
      const file = context.env['CAUSEWAY_SSH_PASSWORD_FILE'];
      return file === undefined || file === ''
        ? askSecretly(context, `Password of ${about}: `)
        : readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    },
  };
}

function installationOf(context: CommandContext): Installation {
  return {
    version: packageJson.version,
    application: applicationFolder(context),
    archive: context.env['CAUSEWAY_MOVER_ARCHIVE'] || undefined,
  };
}

/** The engine's archive for the system of a mover. */
export function archiveFor(connection: SshConnection, context: CommandContext): Promise<EngineArchive> {
  return archiveForMover(connection, installationOf(context), context.signal);
}

/** Signs in to a mover, does the work, and signs out. */
export async function withMover<T>(
  name: string,
  context: CommandContext,
  work: (connection: SshConnection) => Promise<T>,
): Promise<T> {
  const connection = await logInToMover(moverBook().get(name), sshSecrets(context), context.signal);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

/** Opens a project on a mover by its workbench, whose vault may be locked or missing, and does the work. */
export async function withWorkbenchOnMover<T>(
  name: string,
  options: ProjectOptions & MayCreate,
  context: CommandContext,
  work: (client: MoverClient) => Promise<T>,
): Promise<T> {
  const tell = uploadProgress(name, context);
  return using(
    await openOnMover(
      moverBook().get(name),
      sshSecrets(context),
      installationOf(context),
      {
        project: projectOnMover(options, context),
        mayCreate: options.createProject === true,
      },
      (step) => void (step.step === 'uploading' && tell(step)),
      context.signal,
    ),
    work,
  );
}

/** Asks the service of a project if it runs, and changes nothing on the mover: the engine is neither placed nor started, the vault not unlocked. */
export async function withRunningService<T>(
  name: string,
  options: ProjectOptions,
  context: CommandContext,
  work: (core: CoreClient) => Promise<T>,
): Promise<T> {
  return using(
    await openRunningOnMover(
      moverBook().get(name),
      sshSecrets(context),
      installationOf(context),
      projectOnMover(options, context),
      context.signal,
    ),
    (client) => work(answersInTime(client, name) as unknown as CoreClient),
  );
}

function projectOnMover({ project }: ProjectOptions, { env }: CommandContext): string {
  return project ?? (env['CAUSEWAY_PROJECT'] || 'causeway-project');
}

async function using<T>(opened: OpenedOnMover, work: (client: MoverClient) => Promise<T>): Promise<T> {
  try {
    return await work(opened.client);
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'engine.connection-lost') throw await opened.ended;
    throw error;
  } finally {
    await opened.close();
  }
}

/** The same as `withProject`, with the project's engine on a mover. What was started there goes on after this process. */
export async function withProjectOnMover<T>(
  name: string,
  options: ProjectOptions & MayCreate,
  context: CommandContext,
  work: (core: CoreClient) => Promise<T>,
): Promise<T> {
  return withWorkbenchOnMover(name, options, context, async (client) => {
    await unlock(client, name, context);
    return work(client as unknown as CoreClient);
  });
}

/** Gives the passphrase to the engine there, if it has a vault that is locked. Without one, only what needs secrets fails. */
async function unlock(client: MoverClient, name: string, context: CommandContext): Promise<void> {
  const { vault } = await client.call('shell.info', {}, { signal: context.signal });
  if (vault === undefined || !vault.exists || vault.isOpen) return;
  const passphrase =
    passphraseFromFile(context) ?? (await askSecretly(context, `Passphrase of the vault on ${name}: `));
  if (passphrase !== undefined) await client.call('vault.unlock', { passphrase }, { signal: context.signal });
}

/** Tells at every tenth part how far the upload is. */
function uploadProgress(
  name: string,
  context: CommandContext,
): (step: { readonly sentBytes: number; readonly totalBytes: number }) => void {
  let told = -1;
  return ({ sentBytes, totalBytes }) => {
    const tenth = Math.floor((sentBytes / totalBytes) * 10);
    if (tenth === told) return;
    told = tenth;
    context.stderr.write(
      `Uploading the engine to ${name}: ${tenth * 10} % of ${Math.ceil(totalBytes / 2 ** 20)} MiB\n`,
    );
  };
}
