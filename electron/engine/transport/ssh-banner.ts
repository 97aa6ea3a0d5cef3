import { connect, type Socket } from 'node:net';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { abortReason } from '../concurrency/abortable.ts';
import { connectThroughProxy } from '../http/proxy-connection.ts';
import type { ProxyServer } from '../http/proxy-server.ts';

/**
 * Connects and waits until the other side greets as an SSH server. A port that is forwarded or still starting often
 * accepts connections and says nothing: that costs `timeoutMs` and not a whole handshake's deadline. The greeting is put
 * back into the socket. Rejects with `transport.unreachable`, and with `transport.proxy-refused` when a proxy refuses.
 */
export async function connectToBanner(
  host: string,
  port: number,
  timeoutMs: number,
  signal: AbortSignal,
  proxy?: ProxyServer,
): Promise<Socket> {
  if (signal.aborted) throw abortReason(signal);
  const socket =
    proxy === undefined
      ? connect({ host, port, noDelay: true })
      : await connectThroughProxy(proxy, host, port, timeoutMs, signal);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail('accepts connections but sends no SSH greeting'), timeoutMs);
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.removeAllListeners();
    };
    const fail = (evidence: string, cause?: unknown): void => {
      settle();
      socket.on('error', () => undefined);
      socket.destroy();
      reject(new CausewayError('transport.unreachable', `${host}:${port} ${evidence}`, { cause }));
    };
    const onAbort = (): void => {
      fail('was cancelled');
      reject(abortReason(signal));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('error', (error: NodeJS.ErrnoException) =>
      fail(`does not respond (${error.code ?? error.message})`, error),
    );
    socket.on('close', () => fail('closed the connection before its SSH greeting'));
    socket.on('readable', () => {
      const greeting = socket.read() as Buffer | null;
      if (greeting === null) return;
      settle();
      if (greeting.toString('latin1').includes('SSH-')) {
        socket.unshift(greeting);
        resolve(socket);
      } else {
        fail('is not an SSH server');
      }
    });
  });
}
