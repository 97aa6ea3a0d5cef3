import { channelClient } from '../../shared/contract/channel-client.ts';
import { workbenchCalls, workbenchEvents } from '../../shared/contract/shell.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { localChannel } from '../engine/core/ipc.ts';
import type { SshConnection } from '../engine/transport/ssh-connection.ts';
import { findEngineArchive, systemOf, type EngineArchive } from './engine-archive.ts';
import type { Mover } from './mover-book.ts';
import type { MoverClient } from './mover-client.ts';
import { logInToMover, type SshSecrets } from './mover-login.ts';
import type { MoverService } from './mover-service.ts';
import { findServiceByAnyEngine, requireVersion, serviceAgain, startService } from './mover-session.ts';
import { readSystem } from './place-engine.ts';

/** This installation, from which engines are placed on movers. */
export interface Installation {
  readonly version: string;
  /** Folder with the application's package.json. */
  readonly application: string;
  /** The archive of the engine, where it is named. */
  readonly archive?: string | undefined;
}

/** A project on a mover, opened through SSH. */
export interface OpenedOnMover {
  readonly service: MoverService;
  readonly client: MoverClient;
  /** Resolves with the reason when the service cannot be reached by this client any more. */
  readonly ended: Promise<CausewayError>;
  /** Ends the connection. The service continues. */
  close(): Promise<void>;
}

export type OpeningStep =
  | { readonly step: 'connecting' | 'starting' }
  | { readonly step: 'uploading'; readonly sentBytes: number; readonly totalBytes: number };

const probeMs = 5000;

/** The engine's archive for the system on the other side. */
export async function archiveForMover(
  connection: SshConnection,
  { version, application, archive }: Installation,
  signal: AbortSignal,
): Promise<EngineArchive> {
  return findEngineArchive(systemOf(await readSystem(connection, signal)), version, application, archive, signal);
}

/** Signs in to a mover, places the engine there if it is missing, starts the project's service or finds it, and connects to it. Rejects with `mover.*`, `transport.*`. */
export async function openOnMover(
  mover: Mover,
  secrets: SshSecrets,
  installation: Installation,
  { project, mayCreate }: { readonly project: string; readonly mayCreate: boolean },
  onStep: (step: OpeningStep) => void,
  signal: AbortSignal,
): Promise<OpenedOnMover> {
  onStep({ step: 'connecting' });
  return throughSsh(
    mover,
    secrets,
    async (connection) => {
      const archive = await archiveForMover(connection, installation, signal);
      onStep({ step: 'starting' });
      const progress = (sentBytes: number): void =>
        onStep(
          sentBytes < archive.bytes
            ? { step: 'uploading', sentBytes, totalBytes: archive.bytes }
            : { step: 'starting' },
        );
      return startService(connection, archive, { project, mayCreate, version: installation.version, progress }, signal);
    },
    signal,
  );
}

/**
 * Connects to the service of a project again, after the connection to it was lost. Unlike `openOnMover` it places and replaces nothing, so
 * that what a person has stopped or removed, or another workbench has replaced, stays so. Rejects as `serviceAgain`, too.
 */
export function openAgainOnMover(
  mover: Mover,
  secrets: SshSecrets,
  before: MoverService,
  signal: AbortSignal,
): Promise<OpenedOnMover> {
  return throughSsh(mover, secrets, (connection) => serviceAgain(connection, before, signal), signal);
}

/** Connects to the service of a project if one of this version runs. Nothing is changed on the mover. Rejects with `mover.service-ended` where none runs. */
export function openRunningOnMover(
  mover: Mover,
  secrets: SshSecrets,
  { version }: Pick<Installation, 'version'>,
  project: string,
  signal: AbortSignal,
): Promise<OpenedOnMover> {
  return throughSsh(
    mover,
    secrets,
    async (connection) => {
      const service = await findServiceByAnyEngine(connection, project, signal);
      if (service === undefined)
        throw new CausewayError('mover.service-ended', `no service runs for the project ${project}`);
      requireVersion(service, version);
      return service;
    },
    signal,
  );
}

async function throughSsh(
  mover: Mover,
  secrets: SshSecrets,
  find: (connection: SshConnection) => Promise<MoverService>,
  signal: AbortSignal,
): Promise<OpenedOnMover> {
  const connection = await logInToMover(mover, secrets, signal);
  try {
    const service = await find(connection);
    const socket = await connection.openSocket(service.socket, signal);
    const client = channelClient(localChannel(socket), workbenchCalls, workbenchEvents);
    const closed = new Promise<void>((done) => socket.once('close', () => done()));
    return {
      service,
      client,
      ended: closed.then(() => whyEnded(connection, mover.name)),
      close: () => connection.close(),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Whether the network or the service has ended: a broken connection shows itself later than the end of what ran through it. */
export async function whyEnded(connection: SshConnection, name: string): Promise<CausewayError> {
  try {
    await connection.exec('true', { signal: AbortSignal.timeout(probeMs), timeoutMs: probeMs });
    return new CausewayError('mover.service-ended', name);
  } catch (cause) {
    return new CausewayError(
      'mover.connection-lost',
      cause instanceof CausewayError ? `${name}: ${cause.message}` : name,
      { cause },
    );
  }
}
