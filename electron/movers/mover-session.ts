import { channelClient } from '../../shared/contract/channel-client.ts';
import { workbenchCalls, workbenchEvents } from '../../shared/contract/shell.ts';
import type { TableClient } from '../../shared/contract/tables.ts';
import { textEnd } from '../../shared/model/cut-text.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { localChannel } from '../engine/core/ipc.ts';
import { shellQuoted, type SshConnection } from '../engine/transport/ssh-connection.ts';
import type { EngineArchive } from './engine-archive.ts';
import { moverAnswerSchema, type MoverAnswer, type MoverService } from './mover-service.ts';
import { engineProgram, moverFolder, placeEngine } from './place-engine.ts';

/** The workbench of a project on a mover: its own calls and, through them, the engine's. */
export type MoverClient = TableClient<typeof workbenchCalls, typeof workbenchEvents>;

const commandMs = 180_000;

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
export async function startService(connection: SshConnection, archive: EngineArchive, options: StartOptions, signal: AbortSignal): Promise<MoverService> {
  await placeEngine(connection, archive, (sent) => options.progress?.(sent, archive), signal);
  const start = `start --project ${shellQuoted(options.project)}${options.mayCreate ? ' --create' : ''}`;
  const service = await serviceOf(connection, archive.digest, start, signal);
  if (service.engine === archive.digest) return service;
  if (await isIdle(connection, service, signal)) {
    await stopService(connection, archive.digest, options.project, signal);
    return serviceOf(connection, archive.digest, start, signal);
  }
  if (service.version !== options.version) throw new CausewayError('mover.version-differs', `version ${service.version} there, ${options.version} here`);
  return service;
}

async function serviceOf(connection: SshConnection, digest: string, command: string, signal: AbortSignal): Promise<MoverService> {
  const answer = await ask(connection, digest, command, signal);
  if ('service' in answer) return answer.service;
  throw new CausewayError('mover.start-failed', 'failed' in answer ? `${answer.failed.message} [${answer.failed.code}]` : 'the service has ended again');
}

/** The service of a project that runs on a mover; undefined where none does. */
export async function findService(connection: SshConnection, digest: string, project: string, signal: AbortSignal): Promise<MoverService | undefined> {
  const answer = await ask(connection, digest, `status --project ${shellQuoted(project)}`, signal);
  return 'service' in answer ? answer.service : undefined;
}

/** Ends the service of a project in good order: what runs there can be resumed. */
export async function stopService(connection: SshConnection, digest: string, project: string, signal: AbortSignal): Promise<void> {
  const answer = await ask(connection, digest, `stop --project ${shellQuoted(project)}`, signal);
  if ('failed' in answer) throw new CausewayError('mover.start-failed', answer.failed.message);
}

/** Ends the services of all projects of this user on a mover. */
export async function stopAllServices(connection: SshConnection, signal: AbortSignal): Promise<void> {
  const newest = (await connection.exec(`ls -t "$HOME"/${moverFolder}/engines 2>/dev/null`, { signal, timeoutMs: commandMs })).stdout.split('\n').find((name) => /^[0-9a-f]{64}$/.test(name));
  if (newest === undefined) return;
  const answer = await ask(connection, newest, 'stop-all', signal);
  if ('failed' in answer) throw new CausewayError('mover.start-failed', answer.failed.message);
}

async function ask(connection: SshConnection, digest: string, command: string, signal: AbortSignal): Promise<MoverAnswer> {
  const { code, stdout, stderr } = await connection.exec(`${engineProgram(digest)} ${command}`, { signal, timeoutMs: commandMs });
  try {
    return moverAnswerSchema.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
  } catch (cause) {
    throw new CausewayError('mover.start-failed', textEnd((stderr || stdout).trim(), 500) || `exit status ${code ?? 'unknown'}`, { cause });
  }
}

/** A client of a service, through the connection. It ends when the connection does. */
export async function openService(connection: SshConnection, service: MoverService, signal: AbortSignal): Promise<MoverClient> {
  return channelClient(localChannel(await connection.openSocket(service.socket, signal)), workbenchCalls, workbenchEvents);
}

async function isIdle(connection: SshConnection, service: MoverService, signal: AbortSignal): Promise<boolean> {
  const client = await openService(connection, service, signal);
  try {
    const { running } = await client.call('dashboard.show', {}, { signal });
    return running.count === 0;
  } finally {
    await client.close();
  }
}
