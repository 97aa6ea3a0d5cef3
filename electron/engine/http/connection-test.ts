import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { ConnectionTest } from '../../../shared/model/connection-test.ts';
import { proxies, type Proxies, type Way } from './proxies.ts';
import { shownProxy } from './proxy-server.ts';
import { trustOver } from './server-certificates.ts';

const patienceMs = 15_000;

/**
 * Connects to a server by the way in effect and has it show its certificate. Only the proxies' own protocol and a TLS handshake are sent.
 *
 * @param address `https://host[:port]/…`, or `host[:port]`
 * @throws CausewayError general.invalid-input, cloud.proxy-script-failed, cloud.proxy-refused, cloud.unreachable, transport.proxy-not-trusted
 */
export async function testConnection(
  address: string,
  signal: AbortSignal,
  of: Proxies = proxies,
): Promise<ConnectionTest> {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' || url.hostname === '')
    throw new CausewayError('general.invalid-input', 'expected https://host, https://host:port or host:port');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || 443);
  try {
    const ways = (await of.waysTo(host, port, signal)).map(shownWay);
    const { socket, way, passed } = await of.open(host, port, patienceMs, signal);
    const trust = await trustOver(socket, host, port, undefined, signal);
    const { isVerified, reason, chain } = trust;
    return {
      address: `${url.hostname}:${port}`,
      ways,
      way: shownWay(way),
      passed: [...passed],
      isVerified,
      ...(reason === undefined ? {} : { reason }),
      ...(chain[0] === undefined ? {} : { issuer: chain[0].issuer }),
    };
  } catch (error) {
    if (!(error instanceof CausewayError)) throw error;
    const codes = {
      'transport.unreachable': 'cloud.unreachable',
      'transport.proxy-refused': 'cloud.proxy-refused',
    } as const;
    const code = Object.hasOwn(codes, error.code) ? codes[error.code as keyof typeof codes] : error.code;
    throw code === error.code ? error : new CausewayError(code, error.message, { cause: error });
  }
}

function shownWay(way: Way): string {
  return way === 'direct' ? 'direct' : shownProxy(way);
}
