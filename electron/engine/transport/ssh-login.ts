import { setTimeout as delay } from 'node:timers/promises';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { ErrorCode } from '../../../shared/model/errors/catalogue.ts';
import type { WorkerAccess } from '../ports/destination-platform.ts';
import { abortReason } from '../concurrency/abortable.ts';
import type { HostKeyMemory } from './host-keys.ts';
import { proxies } from '../http/proxies.ts';
import { forgetFirstHostKey, restoreHostKey, rotateHostKey } from './rotate-host-key.ts';
import { SshConnection, type SshConnectOptions, type SshTarget } from './ssh-connection.ts';

export interface SshLoginOptions extends SshConnectOptions {
  readonly hostKeys: HostKeyMemory;
  /** How long to retry, in milliseconds. */
  readonly deadlineMs: number;
  /** Called when the worker keeps the host key from its user data. */
  readonly note?: ((message: string) => void) | undefined;
  /** How long a refused login is tried again: the key may come into the worker after sshd is up. Milliseconds. */
  readonly loginGraceMs: number;
}

/** Waiting changes nothing about these. */
const lasting: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'transport.proxy-refused',
  'transport.proxy-not-trusted',
  'cloud.proxy-script-failed',
  'general.invalid-input',
]);

/**
 * Logs in to a worker that may still be starting. Retries with back-off until the deadline; a host key other than the
 * expected or the remembered one ends it immediately. A key that went there by user data is replaced by one of the worker's
 * own, which every later login expects; a worker that cannot keeps the first one.
 */
export async function loginToWorker(
  access: WorkerAccess,
  options: SshLoginOptions,
  signal: AbortSignal,
): Promise<SshConnection> {
  const begun = performance.now();
  // Trust in a worker depends on the key that it was started with.
  const remembered = access.hostKey === undefined ? access.workerId : `${access.workerId} ${access.hostKey}`;
  const known = options.hostKeys.get(remembered);
  const target = {
    host: access.host,
    port: access.sshPort,
    username: access.username,
    privateKeyPem: access.privateKeyPem,
  };
  let firstRefusal: number | undefined;
  for (let attempt = 0; ; attempt++) {
    // A change of the key that was cut off: either one may be the worker's now.
    const next = known === undefined ? options.hostKeys.get(nextOf(remembered)) : undefined;
    const hostKey = known ?? (attempt % 2 === 0 ? next : undefined) ?? access.hostKey;
    try {
      const way = { ...target, proxy: await proxies.toWorker(access.host, access.sshPort, signal) };
      // Short at first: what is sent before the worker's network is up is sent again ever later.
      const bannerTimeoutMs = options.bannerTimeoutMs ?? Math.min(5000, 1500 * 1.5 ** attempt);
      const connection = await SshConnection.connect({ ...way, hostKey }, { ...options, bannerTimeoutMs }, signal);
      if (known !== undefined) return connection;
      if (access.hostKey !== undefined && hostKey !== next)
        return await withOwnHostKey(connection, { ...way, hostKey }, remembered, options, signal);
      options.hostKeys.remember(remembered, connection.hostKey);
      return connection;
    } catch (error) {
      if (signal.aborted) throw abortReason(signal);
      if (
        !(error instanceof CausewayError) ||
        lasting.has(error.code) ||
        (error.code === 'transport.host-key-mismatch' && next === undefined)
      )
        throw error;
      const now = performance.now();
      if (error.code === 'transport.login-refused') firstRefusal ??= now;
      const refusedFor = firstRefusal === undefined ? 0 : now - firstRefusal;
      if (
        now - begun > options.deadlineMs ||
        (error.code === 'transport.login-refused' && refusedFor >= options.loginGraceMs)
      ) {
        throw error;
      }
      const pause = Math.min(2000, 200 * 1.5 ** attempt) * (0.75 + Math.random() / 2);
      await delay(pause, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) throw abortReason(signal);
    }
  }
}

/** Where a key is remembered that the worker has made, before a login has shown it. */
function nextOf(remembered: string): string {
  return `${remembered} next`;
}

/** The new key counts once a login has shown it; until then the first connection can take the old one back. */
async function withOwnHostKey(
  first: SshConnection,
  target: SshTarget,
  remembered: string,
  options: SshLoginOptions,
  signal: AbortSignal,
): Promise<SshConnection> {
  const kept = (error: unknown): SshConnection => {
    if (signal.aborted) throw abortReason(signal);
    if (first.lost.aborted) throw first.lost.reason;
    options.hostKeys.remember(remembered, first.hostKey);
    options.note?.(
      `The worker keeps the SSH host key from its user data: ${error instanceof Error ? error.message : String(error)}`,
    );
    return first;
  };
  let hostKey: string;
  try {
    hostKey = await rotateHostKey(first, (made) => options.hostKeys.remember(nextOf(remembered), made), signal);
  } catch (error) {
    return kept(error);
  }
  for (let attempt = 0; ; attempt++) {
    try {
      const second = await SshConnection.connect({ ...target, hostKey }, options, signal);
      options.hostKeys.remember(remembered, hostKey);
      await forgetFirstHostKey(second, signal);
      await first.close();
      return second;
    } catch (error) {
      if (attempt >= 8 || signal.aborted) {
        await restoreHostKey(first, AbortSignal.timeout(10_000)).catch(() => undefined);
        return kept(error);
      }
      // Its SSH server may still be reading its settings.
      await delay(300 * (attempt + 1), undefined, { signal }).catch(() => undefined);
    }
  }
}
