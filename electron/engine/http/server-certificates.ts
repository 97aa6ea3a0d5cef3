import { X509Certificate } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { ServerCertificate, ServerTrust } from '../../../shared/model/server-trust.ts';
import { proxies } from './proxies.ts';
import { trustSystemCertificates } from './system-certificates.ts';

/** How long a server may take to show its certificates. */
const patienceMs = 15_000;

/**
 * The certificate that a server presents, and whether it is trusted. Only a TLS handshake is sent, through the proxy in effect.
 *
 * @param address `host:port`, an IPv6 address in brackets
 * @param caCertificate PEM of the one authority that is trusted instead of the system's
 */
export async function serverTrust(
  address: string,
  caCertificate: string | undefined,
  signal: AbortSignal,
): Promise<ServerTrust> {
  const url = new URL(`https://${address}`);
  const [host, port] = [url.hostname.replace(/^\[|\]$/g, ''), Number(url.port || 443)];
  const { socket } = await proxies.open(host, port, patienceMs, signal);
  return { ...(await trustOver(socket, host, port, caCertificate, signal)), address };
}

/** As `serverTrust`, over a connection that a proxy has opened; undefined: a direct one is made. */
export async function trustOver(
  tunnel: Socket | undefined,
  host: string,
  port: number,
  caCertificate: string | undefined,
  signal: AbortSignal,
): Promise<ServerTrust> {
  const ends = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  const address = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  trustSystemCertificates();
  const way = tunnel === undefined ? { host, port } : { socket: tunnel };
  const socket = connect({
    ...way,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: false,
    allowPartialTrustChain: caCertificate !== undefined,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(caCertificate === undefined ? {} : { ca: caCertificate }),
  });
  const stop = (): void => void socket.destroy(new Error('it did not respond in time'));
  ends.addEventListener('abort', stop, { once: true });
  try {
    await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
    return {
      address,
      isVerified: socket.authorized,
      ...(socket.authorized ? {} : refusal(socket)),
      chain: chainOf(socket),
    };
  } catch (cause) {
    signal.throwIfAborted();
    throw new CausewayError(
      'cloud.unreachable',
      `${address}: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  } finally {
    ends.removeEventListener('abort', stop);
    socket.destroy();
  }
}

/** Who issued the certificates that a server presents, the server's own first; empty where it cannot be seen. */
export async function certificateIssuers(address: string, signal: AbortSignal): Promise<readonly string[]> {
  return (await serverTrust(address, undefined, signal)).chain.map(({ issuer }) => issuer);
}

const inspectors = [
  'Zscaler',
  'Netskope',
  'Palo Alto Networks',
  'Forcepoint',
  'Fortinet',
  'FortiGate',
  'Blue Coat',
  'Symantec Web',
  'Cisco Umbrella',
  'Check Point',
  'Sophos',
  'Trend Micro',
  'McAfee',
  'Skyhigh',
  'Barracuda',
  'WatchGuard',
  'SonicWall',
  'iboss',
  'Cato Networks',
  'Cloudflare for Teams',
  'Gateway CA - Cloudflare',
  'Kaspersky',
  'ESET',
  'Bitdefender',
  'Avast',
  'AVG',
  'mitmproxy',
  'Squid',
] as const;

/** The product that replaces certificates, by the names in them; undefined where it is none of those that are known. */
export function inspectorOf(issuers: readonly string[]): string | undefined {
  return inspectors.find((name) =>
    issuers.some((issuer) => new RegExp(`(^|[^A-Za-z])${name}([^a-z]|$)`, 'i').test(issuer)),
  );
}

/** OpenSSL's and Node's codes for an unknown issuer: those that trusting the certificate would fix. */
const unknownIssuers: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate chain ends at a CA that this computer does not trust',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate was issued by a CA that this computer does not trust',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate was issued by a CA that this computer does not trust',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate was issued by a CA that this computer does not trust, and the server did not send the CA certificate',
};
const otherReasons: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for other names',
};

function refusal(socket: TLSSocket): { readonly reason: string; readonly isCurable: boolean } {
  const error = socket.authorizationError as unknown;
  const code = error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error);
  return { reason: unknownIssuers[code] ?? otherReasons[code] ?? code, isCurable: Object.hasOwn(unknownIssuers, code) };
}

/** The server's own certificate first. */
function chainOf(socket: TLSSocket): ServerCertificate[] {
  const chain: ServerCertificate[] = [];
  let shown = socket.getPeerCertificate(true);
  // The last one's issuer is itself.
  while (shown.raw !== undefined && !chain.some(({ sha256 }) => sha256 === shown.fingerprint256)) {
    const certificate = new X509Certificate(shown.raw);
    chain.push({
      subject: oneLine(certificate.subject),
      issuer: oneLine(certificate.issuer),
      names: certificate.subjectAltName?.split(', ').map((name) => name.replace(/^(DNS|IP Address):/, '')) ?? [],
      validFrom: certificate.validFromDate.toISOString(),
      validTo: certificate.validToDate.toISOString(),
      sha256: certificate.fingerprint256,
      pem: certificate.toString(),
    });
    shown = shown.issuerCertificate ?? {};
  }
  return chain;
}

function oneLine(name: string | undefined): string {
  return (name ?? '').replaceAll('\n', ', ');
}
