import { isIP } from 'node:net';
import { CausewayError } from '../../../shared/model/causeway-error.ts';

/** A proxy that opens connections: by HTTP CONNECT, in the clear or by TLS, or by SOCKS 5. */
export interface ProxyServer {
  readonly kind: 'http' | 'https' | 'socks5';
  readonly host: string;
  readonly port: number;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

const usualPorts = { http: 80, https: 443, socks5: 1080 } as const;
/** `socks` and `socks5h` are what other programs write; names are always resolved by the proxy. */
const kinds: Readonly<Record<string, ProxyServer['kind']>> = {
  'http:': 'http',
  'https:': 'https',
  'socks5:': 'socks5',
  'socks5h:': 'socks5',
  'socks:': 'socks5',
};

/**
 * @param text `http://`, `https://` or `socks5://`, then `[user:password@]host[:port]`
 * @throws CausewayError general.invalid-input, without the password
 */
export function parseProxy(text: string, what: string): ProxyServer {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const kind = kinds[url?.protocol ?? ''];
  const hasMore = url !== undefined && (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '');
  if (url === undefined || kind === undefined || url.hostname === '' || hasMore) {
    throw new CausewayError(
      'general.invalid-input',
      `${what} must be http://host:port, https://host:port or socks5://host:port, with user:password@ in front of the host if the proxy asks for a sign-in`,
    );
  }
  const { hostname, port, username, password } = url;
  return {
    kind,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || usualPorts[kind]),
    ...(username === '' ? {} : { username: decoded(username, what), password: decoded(password, what) }),
  };
}

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new CausewayError('general.invalid-input', `${what}: a % in user or password must be written as %25`);
  }
}

/** For people: without user and password. */
export function shownProxy({ kind, host, port }: ProxyServer): string {
  return `${kind}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

/**
 * What a script's answer, e.g. `PROXY a:8080; SOCKS5 b; DIRECT`, names, in its order. Entries of other kinds (SOCKS4) are left
 * out; an answer without any entry means a direct connection.
 */
export function parseScriptAnswer(answer: string): readonly (ProxyServer | 'direct')[] {
  const ways: (ProxyServer | 'direct')[] = [];
  const entries = answer
    .split(';')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  for (const entry of entries.slice(0, 16)) {
    const [word = '', address = ''] = entry.split(/\s+/);
    if (word.toUpperCase() === 'DIRECT') ways.push('direct');
    const scheme = { PROXY: 'http', HTTP: 'http', HTTPS: 'https', SOCKS: 'socks5', SOCKS5: 'socks5' }[
      word.toUpperCase()
    ];
    if (scheme === undefined || !/^[^\s/@]+$/.test(address)) continue;
    try {
      ways.push(parseProxy(`${scheme}://${address}`, 'the script'));
    } catch {
      // A script's mistake in one entry leaves the others.
    }
  }
  return entries.length === 0 ? ['direct'] : ways;
}
