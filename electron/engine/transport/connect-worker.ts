import type { WorkerAccess } from '../ports/destination-platform.ts';
import { defaultAgentPath, placeAgent, removeAgent } from './agent-launch.ts';
import type { AgentSession } from './agent-session.ts';
import type { ConnectWorkerOptions, Settings } from './connect-options.ts';
import { hostKeysOfThisProcess } from './host-keys.ts';
import { connectByHttps } from './https.ts';
import { loginToWorker } from './ssh-login.ts';
import type { SshConnection } from './ssh-connection.ts';
import { connectBySsh } from './ssh.ts';

/** For a login to a worker that has just let us in, milliseconds. */
const anotherLoginMs = 15_000;

function settingsFrom(options: ConnectWorkerOptions): Settings {
  return {
    compression: options.compression ?? 'auto',
    connections: options.connections ?? 'auto',
    inFlightBytes: options.inFlightBytes ?? 'auto',
    throttle: options.throttle,
    checksumPayloads: options.checksumPayloads ?? false,
    hostKeys: options.hostKeys ?? hostKeysOfThisProcess,
    deadlineMs: options.deadlineMs ?? 300_000,
    loginGraceMs: options.loginGraceMs ?? 90_000,
    lostAfterMs: options.lostAfterMs ?? 10_000,
    stalledAfterMs: options.stalledAfterMs ?? 120_000,
    idleMs: options.idleMs ?? 300_000,
    note: options.note,
    epoch: options.epoch ?? 0,
    keptBytes: options.keptBytes ?? 0,
    allowPaths: options.allowPaths ?? [],
    agentPorts: options.agentPorts,
    agentPath: options.agentPath ?? defaultAgentPath(),
  };
}

/**
 * Makes a session with the agent on a worker: waits for SSH, puts a fresh agent there (a former one of the same worker is
 * ended), starts it, and connects by the mechanism. Rejects with `transport.*` codes or the signal's reason; nothing is
 * left open then.
 */
export async function connectWorker(
  access: WorkerAccess,
  mechanism: 'HTTPS' | 'SSH',
  options: ConnectWorkerOptions,
  signal: AbortSignal,
): Promise<AgentSession> {
  const settings = settingsFrom(options);
  const keepaliveMs = Math.min(2000, settings.lostAfterMs / 3);
  const ssh = await loginToWorker(access, { ...settings, keepaliveMs }, signal);
  try {
    const needsRoot = settings.allowPaths.length === 0;
    const place = await placeAgent(ssh, settings.agentPath, needsRoot, `${access.host}:${access.sshPort}`, signal);
    const release = async (): Promise<void> => {
      await removeAgent(ssh, place.folder);
      await ssh.close();
    };
    if (mechanism === 'HTTPS') return await connectByHttps(ssh, place, access, settings, release, signal);
    const another = (stop: AbortSignal): Promise<SshConnection> =>
      loginToWorker(
        access,
        { ...settings, keepaliveMs, deadlineMs: Math.min(settings.deadlineMs, anotherLoginMs) },
        stop,
      );
    return await connectBySsh(ssh, place, access, settings, another, release, signal);
  } catch (error) {
    await ssh.close();
    throw error;
  }
}
