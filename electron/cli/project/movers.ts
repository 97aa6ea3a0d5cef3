import { createInterface } from 'node:readline/promises';
import { hostKeyFingerprint } from '../../engine/transport/host-keys.ts';
import { addMover as addMoverToBook } from '../../movers/add-mover.ts';
import { moverBook } from '../../movers/mover-book.ts';
import { isTrustedHostKey } from '../../movers/trusted-host-keys.ts';
import { findService, stopAllServices, stopService } from '../../movers/mover-session.ts';
import { placeEngine, removeEngines } from '../../movers/place-engine.ts';
import type { CommandContext, ExitStatus, ProjectOptions } from '../command-context.ts';
import { print, table } from '../output/print.ts';
import { hostKeyOption, readHostKeyOptions } from './host-key-option.ts';
import { archiveFor, sshSecrets, withMover } from './on-mover.ts';

export interface AddMoverOptions {
  readonly identityFile?: string;
  /** Host keys that are confirmed already, of the host and of jump hosts: `HOST=SHA256:…` or `HOST:PORT=SHA256:…`. */
  readonly hostKey?: readonly string[];
  readonly sshConfig?: string;
  readonly json?: boolean;
}

/** Pins the host keys of a destination and remembers it under a name. Nothing is placed there yet. */
export async function addMover(
  name: string,
  destination: string,
  options: AddMoverOptions,
  context: CommandContext,
): Promise<ExitStatus> {
  const trusted = readHostKeyOptions(options.hostKey ?? []);
  const confirm = async ({ host, port }: { host: string; port: number }, fingerprint: string): Promise<boolean> => {
    if (isTrustedHostKey(trusted, { host, port }, fingerprint)) return true;
    const isTrusted = await askYes(context, `${host}:${port} shows the host key ${fingerprint}. Trust it? [y/N] `);
    if (!isTrusted)
      context.stderr.write(
        `${host}:${port} shows the host key ${fingerprint}\nIf its owner gives you the same fingerprint: --host-key ${hostKeyOption({ host, port, fingerprint })}\n`,
      );
    return isTrusted;
  };
  const mover = await addMoverToBook(
    moverBook(),
    { name, destination, identityFile: options.identityFile, sshConfig: options.sshConfig },
    sshSecrets(context),
    confirm,
    context.signal,
  );
  print(context, options, [mover], () => `${name} was added: ${mover.username}@${mover.host}:${mover.port}\n`);
  return 0;
}

export function listMovers(options: ProjectOptions, context: CommandContext): ExitStatus {
  const movers = moverBook().list();
  print(context, options, movers, () =>
    table(
      ['name', 'address', 'through', 'host key'],
      movers.map(({ name, username, host, port, jumpHosts, hostKey }) => [
        name,
        `${username}@${host}:${port}`,
        jumpHosts.map((hop) => hop.host).join(', ') || '-',
        hostKeyFingerprint(hostKey),
      ]),
    ),
  );
  return 0;
}

/** Places this version's engine on a mover, and tells whether a project is served there. */
export async function showMover(name: string, options: ProjectOptions, context: CommandContext): Promise<ExitStatus> {
  await withMover(name, context, async (connection) => {
    const archive = await archiveFor(connection, context);
    await placeEngine(connection, archive, () => undefined, context.signal);
    const service = await findService(connection, archive.digest, projectOf(options, context), context.signal);
    print(context, options, [{ name, engine: archive.digest, service }], () =>
      service === undefined
        ? 'No service runs for this project.\n'
        : `Version ${service.version} serves ${service.project} as process ${service.pid}.\n`,
    );
  });
  return 0;
}

/** Ends the service of a project on a mover in good order. */
export async function stopMover(name: string, options: ProjectOptions, context: CommandContext): Promise<ExitStatus> {
  await withMover(name, context, async (connection) => {
    const { digest } = await archiveFor(connection, context);
    await stopService(connection, digest, projectOf(options, context), context.signal);
  });
  return 0;
}

/** Ends all services on a mover and removes what was placed there; with `forget`, its name here as well. Projects stay. */
export async function uninstallMover(
  name: string,
  { forget }: { readonly forget?: boolean },
  context: CommandContext,
): Promise<ExitStatus> {
  await withMover(name, context, async (connection) => {
    await stopAllServices(connection, context.signal);
    await removeEngines(connection, context.signal);
  });
  if (forget === true) moverBook().remove(name);
  context.stdout.write(`Causeway was removed from ${name}. Projects there were not touched.\n`);
  return 0;
}

function projectOf(options: ProjectOptions, { env }: CommandContext): string {
  return options.project ?? (env['CAUSEWAY_PROJECT'] || 'causeway-project');
}

async function askYes(context: CommandContext, question: string): Promise<boolean> {
  if (!process.stdin.isTTY || context.stdout.isTTY !== true) return false;
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await prompt.question(question, { signal: context.signal })).trim());
  } finally {
    prompt.close();
  }
}
