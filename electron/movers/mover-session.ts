import { channelClient } from '../../shared/contract/channel-client.ts';
import { workbenchCalls, workbenchEvents } from '../../shared/contract/shell.ts';
import { textEnd } from '../../shared/model/cut-text.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { localChannel } from '../engine/core/ipc.ts';
import { shellQuoted, type SshConnection } from '../engine/transport/ssh-connection.ts';
import { answersInTime } from './answer-in-time.ts';
import type { EngineArchive } from './engine-archive.ts';
import type { MoverClient } from './mover-client.ts';
import { moverAnswerSchema, type MoverAnswer, type MoverService } from './mover-service.ts';
import { engineProgram, moverFolder, placeEngine } from './place-engine.ts';

const commandMs = 180_000;
const digestPattern = /^[0-9a-f]{64}$/;

export interface StartOptions {
  readonly project: string;
  /** Makes the folder a project where it is none. */
  readonly mayCreate: boolean;
  readonly version: string;
  /** Told the bytes that were sent while an engine is uploaded. */
  readonly progress?: (sentBytes: number, archive: EngineArchive) => void;
}

/**
 * Starts the service of a project on a mover, or finds the one that runs. One of another engine is replaced when nothing runs there;
 * otherwise it is kept if it is of the same version. Rejects with `mover.*` or `transport.*`.
 */
export async function startService(
  connection: SshConnection,
  archive: EngineArchive,
  options: StartOptions,
  signal: AbortSignal,
): Promise<MoverService> {
  await placeEngine(connection, archive, (sent) => options.progress?.(sent, archive), signal);
  const start = `start --project ${shellQuoted(options.project)}${options.mayCreate ? ' --create' : ''}`;
  const service = await serviceOf(connection, archive.digest, start, signal);
  if (service.engine === archive.digest) return service;
  if (await isIdle(connection, service, signal)) {
    await stopService(connection, archive.digest, options.project, signal);
    return serviceOf(connection, archive.digest, start, signal);
  }
  if (service.version !== options.version)
    throw new CausewayError('mover.version-differs', `version ${service.version} there, ${options.version} here`);
  return service;
}

async function serviceOf(
  connection: SshConnection,
  digest: string,
  command: string,
  signal: AbortSignal,
): Promise<MoverService> {
  const answer = await ask(connection, digest, command, signal);
  if ('service' in answer) return answer.service;
  throw new CausewayError(
    'mover.start-failed',
    'failed' in answer ? `${answer.failed.message} [${answer.failed.code}]` : 'the service has ended again',
  );
}

/** The service of a project that runs on a mover; undefined where none does. */
export async function findService(
  connection: SshConnection,
  digest: string,
  project: string,
  signal: AbortSignal,
): Promise<MoverService | undefined> {
  const answer = await ask(connection, digest, `status --project ${shellQuoted(project)}`, signal);
  return 'service' in answer ? answer.service : undefined;
}

/**
 * The service of a project that runs on a mover, whichever engine it runs from: it is asked for by the newest one there. Undefined where
 * none does. Nothing is changed on the mover.
 */
export async function findServiceByAnyEngine(
  connection: SshConnection,
  project: string,
  signal: AbortSignal,
): Promise<MoverService | undefined> {
  const digest = await newestEngine(connection, signal);
  return digest === undefined ? undefined : findService(connection, digest, project, signal);
}

/**
 * The service of a project that was connected to before, for a connection that comes back by itself. It starts again what has crashed; what
 * a person has stopped, removed or replaced stays so. Rejects with `mover.service-ended` or `mover.version-differs`, which do not pass.
 */
export async function serviceAgain(
  connection: SshConnection,
  before: MoverService,
  signal: AbortSignal,
): Promise<MoverService> {
  const program = engineProgram(before.engine);
  const isThere =
    digestPattern.test(before.engine) &&
    (await connection.exec(`test -x ${program} && echo there`, { signal, timeoutMs: commandMs })).stdout.trim() ===
      'there';
  if (!isThere)
    throw new CausewayError('mover.service-ended', 'its engine was removed from the mover', { retryable: false });
  const answer = await ask(connection, before.engine, `start-again --project ${shellQuoted(before.project)}`, signal);
  if ('failed' in answer)
    throw new CausewayError('mover.start-failed', `${answer.failed.message} [${answer.failed.code}]`);
  if ('none' in answer)
    throw new CausewayError('mover.service-ended', 'no service runs for the project any more', { retryable: false });
  requireVersion(answer.service, before.version);
  return answer.service;
}

/** @throws CausewayError `mover.version-differs`: another version may speak another contract */
export function requireVersion(service: MoverService, version: string): void {
  if (service.version !== version)
    throw new CausewayError('mover.version-differs', `version ${service.version} there, ${version} here`, {
      retryable: false,
    });
}

/** Ends the service of a project in good order: what runs there can be resumed. */
export async function stopService(
  connection: SshConnection,
  digest: string,
  project: string,
  signal: AbortSignal,
): Promise<void> {
  const answer = await ask(connection, digest, `stop --project ${shellQuoted(project)}`, signal);
  if ('failed' in answer) throw new CausewayError('mover.start-failed', answer.failed.message);
}

/** Ends the services of all projects of this user on a mover. */
export async function stopAllServices(connection: SshConnection, signal: AbortSignal): Promise<void> {
  const newest = await newestEngine(connection, signal);
  if (newest === undefined) return;
  const answer = await ask(connection, newest, 'stop-all', signal);
  if ('failed' in answer) throw new CausewayError('mover.start-failed', answer.failed.message);
}

async function newestEngine(connection: SshConnection, signal: AbortSignal): Promise<string | undefined> {
  const { stdout } = await connection.exec(`ls -t "$HOME"/${moverFolder}/engines 2>/dev/null`, {
    signal,
    timeoutMs: commandMs,
  });
  return stdout.split('\n').find((name) => digestPattern.test(name));
}

async function ask(
  connection: SshConnection,
  digest: string,
  command: string,
  signal: AbortSignal,
): Promise<MoverAnswer> {
  const { code, stdout, stderr } = await connection.exec(`${engineProgram(digest)} ${command}`, {
    signal,
    timeoutMs: commandMs,
  });
  try {
    return moverAnswerSchema.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
  } catch (cause) {
    throw new CausewayError(
      'mover.start-failed',
      textEnd((stderr || stdout).trim(), 500) || `exit status ${code ?? 'unknown'}`,
      { cause },
    );
  }
}

/** A client of a service, through the connection. It ends when the connection does. */
export async function openService(
  connection: SshConnection,
  service: MoverService,
  signal: AbortSignal,
): Promise<MoverClient> {
  return channelClient(
    localChannel(await connection.openSocket(service.socket, signal)),
    workbenchCalls,
    workbenchEvents,
  );
}

async function isIdle(connection: SshConnection, service: MoverService, signal: AbortSignal): Promise<boolean> {
  const client = await openService(connection, service, signal);
  try {
    const { running } = await answersInTime(client, service.project).call('dashboard.show', {}, { signal });
    return running.count === 0;
  } finally {
    // Not waited for: a service that hangs does not hang up either.
    void client.close();
  }
}
