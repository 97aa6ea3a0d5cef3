import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import ipaddr from 'ipaddr.js';
import { textStart } from '../../../shared/model/cut-text.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { abortReason } from '../concurrency/abortable.ts';
import { shownProxy, type ProxyServer } from './proxy-server.ts';
import { trustSystemCertificates } from './system-certificates.ts';

const longestHead = 16 * 1024;

/** What is said to a proxy until it has opened the connection. */
interface Talk {
  readonly opening: Buffer;
  /**
   * Takes what has come and was not taken yet.
   *
   * @returns how much of it was used, and what to answer; `isOpen`: the rest comes from the target. Undefined: more has to come.
   * @throws CausewayError transport.proxy-refused
   */
  take(received: Buffer): { readonly used: number; readonly answer?: Buffer; readonly isOpen?: boolean } | undefined;
}

/**
 * Connects to a host and port through a proxy; names are resolved by the proxy. Rejects with `transport.unreachable` when the proxy
 * does not respond, with `transport.proxy-refused` when it says no, and with `transport.proxy-not-trusted` when its own certificate
 * is not trusted.
 */
export function connectThroughProxy(
  proxy: ProxyServer,
  host: string,
  port: number,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Socket> {
  if (signal.aborted) return Promise.reject(abortReason(signal));
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const where = `the proxy ${proxy.kind === 'http' ? `${proxy.host}:${proxy.port}` : shownProxy(proxy)}, asked for ${target},`;
  const refused = (evidence: string): CausewayError =>
    new CausewayError('transport.proxy-refused', `${where} ${evidence}`);
  return new Promise((resolve, reject) => {
    const talk = proxy.kind === 'socks5' ? socksTalk(proxy, host, port, refused) : connectTalk(proxy, target, refused);
    const socket = open(proxy);
    let received = Buffer.alloc(0);
    const timer = setTimeout(
      () => fail(new CausewayError('transport.unreachable', `${where} did not respond within ${timeoutMs} ms`)),
      timeoutMs,
    );
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.off('error', onError).off('close', onClose).off('readable', onReadable);
    };
    const fail = (error: CausewayError): void => {
      settle();
      socket.on('error', () => undefined);
      socket.destroy();
      reject(error);
    };
    const onAbort = (): void => fail(abortReason(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    const onError = (error: NodeJS.ErrnoException): void => {
      const isUntrusted = proxy.kind === 'https' && /CERT|SIGNATURE|^ERR_TLS/.test(error.code ?? '');
      fail(
        new CausewayError(
          isUntrusted ? 'transport.proxy-not-trusted' : 'transport.unreachable',
          `${where} ${isUntrusted ? 'has a certificate that is not trusted' : 'does not respond'} (${error.code ?? error.message})`,
          { cause: error },
        ),
      );
    };
    const onClose = (): void => fail(new CausewayError('transport.unreachable', `${where} closed the connection`));
    const onReadable = (): void => {
      for (let piece = socket.read() as Buffer | null; piece !== null; piece = socket.read() as Buffer | null)
        received = Buffer.concat([received, piece]);
      try {
        for (let step = talk.take(received); step !== undefined; step = talk.take(received)) {
          received = received.subarray(step.used);
          if (step.answer !== undefined) socket.write(step.answer);
          if (step.isOpen !== true) continue;
          settle();
          if (received.length > 0) socket.unshift(received);
          return resolve(socket);
        }
      } catch (error) {
        fail(error as CausewayError);
      }
    };
    socket.on('error', onError).on('close', onClose).on('readable', onReadable);
    socket.once(proxy.kind === 'https' ? 'secureConnect' : 'connect', () => socket.write(talk.opening));
  });
}

function open({ kind, host, port }: ProxyServer): Socket {
  if (kind !== 'https') return connect({ host, port, noDelay: true });
  trustSystemCertificates();
  return connectTls({
    host,
    port,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
    ...(isIP(host) === 0 ? { servername: host } : {}),
  }).setNoDelay(true);
}

/** HTTP CONNECT, RFC 9110 section 9.3.6. */
function connectTalk(
  { username, password = '' }: ProxyServer,
  target: string,
  refused: (evidence: string) => CausewayError,
): Talk {
  const credentials =
    username === undefined
      ? []
      : [`Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`];
  return {
    opening: Buffer.from(
      [`CONNECT ${target} HTTP/1.1`, `Host: ${target}`, ...credentials, '', ''].join('\r\n'),
      'latin1',
    ),
    take(received) {
      const end = received.indexOf('\r\n\r\n');
      if (end < 0 && received.length > longestHead) throw refused('does not answer as an HTTP proxy does');
      if (end < 0) return undefined;
      const refusal = refusalOf(received.toString('latin1', 0, end));
      if (refusal !== undefined) throw refused(`answered: ${refusal}`);
      return { used: end + 4, isOpen: true };
    },
  };
}

/** Undefined when it opened the connection. What it can authenticate by is named: another kind than Basic is not spoken here. */
function refusalOf(head: string): string | undefined {
  const [line = '', ...headers] = head.split('\r\n');
  if (/^HTTP\/1\.[01] 2\d\d\b/.test(line)) return undefined;
  const schemes = headers.flatMap((header) => /^proxy-authenticate:\s*([A-Za-z-]+)/i.exec(header)?.[1] ?? []);
  return textStart(line, 200) + (schemes.length === 0 ? '' : `; it accepts ${schemes.join(', ')}`);
}

const socksFailures = [
  'a general failure',
  'its rules do not allow the connection',
  'the network cannot be reached',
  'the host cannot be reached',
  'the connection was refused',
  'the time of the connection ran out',
  'the command is not supported',
  'this kind of address is not supported',
];

/**
 * SOCKS 5, RFC 1928, with user and password, RFC 1929. Of our own: the library `socks` hands on what a server says first, as SSH
 * servers do, by an event that a reader of the stream misses.
 */
function socksTalk(
  { username, password = '' }: ProxyServer,
  host: string,
  port: number,
  refused: (evidence: string) => CausewayError,
): Talk {
  const [user, secret] = [Buffer.from(username ?? ''), Buffer.from(password)];
  if (user.length > 255 || secret.length > 255)
    throw refused('cannot be given a user or password of more than 255 bytes');
  const request = Buffer.concat([Buffer.from([5, 1, 0]), socksAddress(host), Buffer.from([port >> 8, port & 255])]);
  let stage: 'method' | 'sign-in' | 'answer' = 'method';
  return {
    opening: username === undefined ? Buffer.from([5, 1, 0]) : Buffer.from([5, 2, 0, 2]),
    take(received) {
      if (received.length > 0 && received[0] !== (stage === 'sign-in' ? 1 : 5))
        throw refused('does not answer as a SOCKS 5 proxy does');
      if (received.length < 2) return undefined;
      const code = received[1] ?? 255;
      if (stage === 'method') {
        const hasSignIn = code === 2 && username !== undefined;
        if (code !== 0 && !hasSignIn)
          throw refused(
            username === undefined ? 'asks for a sign-in' : 'asks for another sign-in than user and password',
          );
        stage = hasSignIn ? 'sign-in' : 'answer';
        return {
          used: 2,
          answer: hasSignIn
            ? Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([secret.length]), secret])
            : request,
        };
      }
      if (stage === 'sign-in') {
        if (code !== 0) throw refused('refused user and password');
        stage = 'answer';
        return { used: 2, answer: request };
      }
      if (code !== 0) throw refused(`answered: ${socksFailures[code - 1] ?? `failure ${code}`}`);
      // The address that the proxy connects from follows: IPv4, a name with its length in front, or IPv6.
      const length = received[3] === 1 ? 10 : received[3] === 4 ? 22 : 7 + (received[4] ?? 255);
      return received.length < length || received.length < 5 ? undefined : { used: length, isOpen: true };
    },
  };
}

function socksAddress(host: string): Buffer {
  const family = isIP(host);
  const name = Buffer.from(host);
  return family === 0
    ? Buffer.concat([Buffer.from([3, name.length]), name])
    : Buffer.from([family === 4 ? 1 : 4, ...ipaddr.parse(host).toByteArray()]);
}
