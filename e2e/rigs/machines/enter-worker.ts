import ssh2 from 'ssh2';
import type { WorkerAccess } from '../../../electron/engine/ports/destination-platform.ts';
import { systemClock } from '../../../electron/engine/time/clock.ts';

/** An emulated worker boots for a while after its cloud says that it runs. */
const patienceMs = 90_000;

/** Logs in with the worker's own key and expects the host key that was made for it. A server that runs may not have booted yet. */
export async function enterWorker(access: WorkerAccess): Promise<void> {
  const end = Date.now() + patienceMs;
  for (;;) {
    try {
      return await logIn(access);
    } catch (error) {
      if (Date.now() > end || (error as { level?: string }).level === 'client-authentication') throw error;
      await systemClock.sleep(200, AbortSignal.timeout(patienceMs));
    }
  }
}

async function logIn(access: WorkerAccess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const client = new ssh2.Client();
  // It may fail more than once on its way down.
  client.once('ready', resolve).on('error', reject);
  let expected = true;
  client.connect({
    host: access.host,
    port: access.sshPort,
    username: access.username,
    privateKey: access.privateKeyPem,
    readyTimeout: 60_000,
    hostVerifier: (key: Buffer) => (expected = access.hostKey === `ssh-ed25519 ${key.toString('base64')}`),
  });
  try {
    await promise;
  } catch (error) {
    throw expected
      ? error
      : Object.assign(new Error('another host key than the one that was made for the worker'), {
          level: 'client-authentication',
        });
  } finally {
    client.end();
  }
}
