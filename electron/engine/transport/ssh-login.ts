import { setTimeout as delay } from 'node:timers/promises';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { WorkerAccess } from '../ports/destination-platform.ts';
import { abortReason } from './abort-reason.ts';
import type { HostKeyMemory } from './host-keys.ts';
import { SshConnection, type SshConnectOptions } from './ssh-connection.ts';

export interface SshLoginOptions extends SshConnectOptions {
  readonly hostKeys: HostKeyMemory;
  /** How long to go on trying, in milliseconds. */
  readonly deadlineMs: number;
  /** How long a refused login is tried again: the key may come into the worker after sshd is up. Milliseconds. */
  readonly loginGraceMs: number;
}

/**
 * Logs in to a worker that may still be starting. Retries with back-off until the deadline; a host key other than the
 * expected or the remembered one ends it at once.
 */
export async function loginToWorker(access: WorkerAccess, options: SshLoginOptions, signal: AbortSignal): Promise<SshConnection> {
  const begun = performance.now();
  const hostKey = access.hostKey ?? options.hostKeys.get(access.workerId);
  const target = {
    host: access.host,
    port: access.sshPort,
    username: access.username,
    privateKeyPem: access.privateKeyPem,
    hostKey,
  };
  let firstRefusal: number | undefined;
  for (let attempt = 0; ; attempt++) {
    try {
      const connection = await SshConnection.connect(target, options, signal);
      if (hostKey === undefined) options.hostKeys.remember(access.workerId, connection.hostKey);
      return connection;
    } catch (error) {
      if (signal.aborted) throw abortReason(signal);
      if (!(error instanceof CausewayError) || error.code === 'transport.host-key-mismatch') throw error;
      const now = performance.now();
      if (error.code === 'transport.login-refused') firstRefusal ??= now;
      const refusedFor = firstRefusal === undefined ? 0 : now - firstRefusal;
      if (now - begun > options.deadlineMs || (error.code === 'transport.login-refused' && refusedFor >= options.loginGraceMs)) {
        throw error;
      }
      const pause = Math.min(2000, 200 * 1.5 ** attempt) * (0.75 + Math.random() / 2);
      await delay(pause, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) throw abortReason(signal);
    }
  }
}
