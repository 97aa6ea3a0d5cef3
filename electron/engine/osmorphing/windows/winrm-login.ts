import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { systemClock } from '../../time/clock.ts';
import { pollUntil } from '../../time/poll.ts';
import { WinrmConnection, type WinrmTarget } from '../../transport/winrm/winrm-connection.ts';

export interface WinrmLoginOptions {
  /** How long to retry, in milliseconds. A Windows worker takes minutes to its first login. Default 20 minutes. */
  readonly deadlineMs?: number;
  /**
   * How long a refused login or another certificate is tried again: account and certificate may come into the worker after
   * WinRM is up. Default 5 minutes.
   */
  readonly loginGraceMs?: number;
}

/**
 * Logs in to a worker that may still be starting. To a server with another certificate
 * than the worker's nothing is sent; it may be the image's own listener, which the user data replaces.
 *
 * @throws `transport.unreachable`, `transport.login-refused`, `transport.certificate-mismatch`, the signal's reason
 */
export async function loginByWinrm(
  target: WinrmTarget,
  options: WinrmLoginOptions,
  signal: AbortSignal,
): Promise<WinrmConnection> {
  const { deadlineMs = 1_200_000, loginGraceMs = 300_000 } = options;
  let refusedSince: number | undefined;
  let last: unknown;
  return pollUntil<WinrmConnection>(
    async () => {
      const connection = new WinrmConnection(target);
      try {
        await connection.open(signal);
        return { done: true, value: connection };
      } catch (error) {
        await connection.close();
        signal.throwIfAborted();
        if (!(error instanceof CausewayError) || !mayPass(error)) throw error;
        const now = systemClock.monotonic();
        if (error.code === 'transport.login-refused' || error.code === 'transport.certificate-mismatch') {
          refusedSince ??= now;
          if (now - refusedSince >= loginGraceMs) throw error;
        }
        last = error;
        return { done: false, state: error.message };
      }
    },
    { deadlineMs, firstMs: 1_000, capMs: 15_000 },
    systemClock,
    signal,
    (state) => (last instanceof Error ? last : new CausewayError('transport.unreachable', state)),
  );
}

/** What a worker that is still starting may answer. */
function mayPass({ code }: CausewayError): boolean {
  return (
    code === 'transport.unreachable' ||
    code === 'transport.login-refused' ||
    code === 'transport.certificate-mismatch' ||
    code === 'transport.winrm-protocol'
  );
}
