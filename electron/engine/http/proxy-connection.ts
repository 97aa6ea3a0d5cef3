import { connect, isIP, type Socket } from 'node:net';
import { textStart } from '../../../shared/model/cut-text.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { isLoopbackHost } from '../../../shared/model/ip-address.ts';

/** A proxy that opens connections by HTTP CONNECT. */
export interface HttpProxy {
  readonly host: string;
  readonly port: number;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** The variable with the proxy for connections to workers, SSH and the agent's port: `http://[user:password@]host:port`. */
export const workerProxyVariable = 'CAUSEWAY_SSH_PROXY';
const longestHead = 16 * 1024;

/** @throws CausewayError general.invalid-input, without the password */
export function parseProxy(text: string, what: string): HttpProxy {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const hasMore = url !== undefined && (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '');
  if (url?.protocol !== 'http:' || url.hostname === '' || hasMore) {
    throw new CausewayError('general.invalid-input', `${what} must be http://host:port, or http://user:password@host:port`);
  }
  const { hostname, port, username, password } = url;
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 80),
    ...(username === '' ? {} : { username: decodeURIComponent(username), password: decodeURIComponent(password) }),
  };
}

/** The proxy that leads to a worker; undefined: the connection is direct. Loopback is never proxied. */
export function workerProxy(host: string, environment: NodeJS.ProcessEnv = process.env): HttpProxy | undefined {
  const text = environment[workerProxyVariable];
  if (text === undefined || text === '' || isLoopbackHost(host) || isExempt(host, environment['NO_PROXY'] ?? environment['no_proxy'] ?? '')) return undefined;
  return parseProxy(text, workerProxyVariable);
}

/** The proxy for connections to workers, without user and password. */
export function shownWorkerProxy(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  return environment[workerProxyVariable]?.replace(/\/\/[^/@]*@/, '//') || undefined;
}

/** Whether a list as in NO_PROXY has a host: names with their domains below, addresses, `*`, as all programs understand it. */
export function isExempt(host: string, list: string): boolean {
  const name = host.toLowerCase();
  return list.split(/[\s,]+/).filter((entry) => entry !== '').some((entry) => {
    const rule = entry.toLowerCase().replace(/^\*?\./, '');
    return rule === '*' || name === rule || (isIP(name) === 0 && name.endsWith(`.${rule}`));
  });
}

/**
 * Connects to a host and port through a proxy. Rejects with `transport.unreachable` when the proxy does not respond, and with
 * `transport.proxy-refused` when it says no.
 */
export function connectThroughProxy(proxy: HttpProxy, host: string, port: number, timeoutMs: number, signal: AbortSignal): Promise<Socket> {
  if (signal.aborted) return Promise.reject(abortReason(signal));
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const where = `the proxy ${proxy.host}:${proxy.port}, asked for ${target},`;
  return new Promise((resolve, reject) => {
    const socket = connect({ host: proxy.host, port: proxy.port, noDelay: true });
    let head = Buffer.alloc(0);
    const timer = setTimeout(() => fail(new CausewayError('transport.unreachable', `${where} did not respond within ${timeoutMs} ms`)), timeoutMs);
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.removeAllListeners();
    };
    const fail = (error: CausewayError): void => {
      settle();
      socket.on('error', () => undefined);
      socket.destroy();
      reject(error);
    };
    const onAbort = (): void => fail(abortReason(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('error', (error: NodeJS.ErrnoException) => fail(new CausewayError('transport.unreachable', `${where} does not respond (${error.code ?? error.message})`, { cause: error })));
    socket.on('close', () => fail(new CausewayError('transport.unreachable', `${where} closed the connection`)));
    socket.once('connect', () => socket.write(request(target, proxy)));
    socket.on('readable', () => {
      for (let piece = socket.read() as Buffer | null; piece !== null; piece = socket.read() as Buffer | null) head = Buffer.concat([head, piece]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) {
        if (head.length > longestHead) fail(new CausewayError('transport.proxy-refused', `${where} does not answer as an HTTP proxy does`));
        return;
      }
      const refusal = refusalOf(head.toString('latin1', 0, end));
      if (refusal !== undefined) return fail(new CausewayError('transport.proxy-refused', `${where} answered: ${refusal}`));
      settle();
      const rest = head.subarray(end + 4);
      if (rest.length > 0) socket.unshift(rest);
      resolve(socket);
    });
  });
}

function request(target: string, { username, password = '' }: HttpProxy): string {
  const credentials = username === undefined ? [] : [`Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`];
  return [`CONNECT ${target} HTTP/1.1`, `Host: ${target}`, ...credentials, '', ''].join('\r\n');
}

/** Undefined when it opened the connection. What it can authenticate by is named: another kind than Basic is not spoken here. */
function refusalOf(head: string): string | undefined {
  const [line = '', ...headers] = head.split('\r\n');
  if (/^HTTP\/1\.[01] 2\d\d\b/.test(line)) return undefined;
  const schemes = headers.flatMap((header) => /^proxy-authenticate:\s*([A-Za-z-]+)/i.exec(header)?.[1] ?? []);
  return textStart(line, 200) + (schemes.length === 0 ? '' : `; it accepts ${schemes.join(', ')}`);
}

function abortReason(signal: AbortSignal): CausewayError {
  return signal.reason instanceof CausewayError ? signal.reason : new CausewayError('general.cancelled', 'connecting through a proxy was cancelled', { cause: signal.reason });
}
