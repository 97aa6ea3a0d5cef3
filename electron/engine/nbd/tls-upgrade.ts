import { createHash, timingSafeEqual } from 'node:crypto';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { addressText, type NbdAddress, type NbdTls } from './address.ts';

/**
 * Runs the TLS handshake over a socket after NBD_OPT_STARTTLS was acknowledged, and resolves only for a server that
 * is the pinned one, or that a trusted CA vouches for under the expected name.
 */
export async function tlsUpgrade(
  socket: Duplex,
  address: NbdAddress,
  settings: NbdTls,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<tls.TLSSocket> {
  const name = settings.serverName ?? (address.kind === 'tcp' ? address.host : undefined);
  const pinned = settings.pinnedSha256?.replaceAll(':', '').toLowerCase();
  if (pinned === undefined && name === undefined) {
    throw refused(address, 'a CA alone cannot identify a server on a Unix socket; a server name or a pin is needed');
  }
  const secured = tls.connect({
    socket,
    minVersion: 'TLSv1.2',
    // With a pin the certificate itself is compared below, before any byte is sent over the session.
    rejectUnauthorized: pinned === undefined,
    ...(name === undefined || net.isIP(name) !== 0 ? {} : { servername: name }),
    ...(name === undefined ? {} : { checkServerIdentity: (_host, cert) => tls.checkServerIdentity(name, cert) }),
    ...(settings.caPem === undefined ? {} : { ca: settings.caPem }),
    ...(settings.clientCertificatePem === undefined ? {} : { cert: settings.clientCertificatePem }),
    ...(settings.clientKeyPem === undefined ? {} : { key: settings.clientKeyPem }),
  });
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(refused(address, `no TLS handshake within ${timeoutMs} ms`)), timeoutMs);
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        secured.off('secureConnect', onSecure).off('error', onError).off('close', onClose);
        finish();
      };
      const onAbort = () =>
        settle(() => reject(new CausewayError('general.cancelled', 'the TLS handshake was cancelled')));
      const onSecure = () => settle(resolve);
      const onError = (error: Error) => settle(() => reject(refused(address, error.message, error)));
      const onClose = () => settle(() => reject(refused(address, 'the server closed the connection')));
      signal.addEventListener('abort', onAbort, { once: true });
      secured.on('secureConnect', onSecure).on('error', onError).on('close', onClose);
      if (signal.aborted) onAbort();
    });
    if (pinned !== undefined) comparePin(secured, address, pinned);
  } catch (error) {
    secured.on('error', () => undefined);
    secured.destroy();
    throw error;
  }
  return secured;
}

function comparePin(secured: tls.TLSSocket, address: NbdAddress, pinned: string): void {
  const certificate = secured.getPeerX509Certificate();
  if (certificate === undefined) throw refused(address, 'the server sent no certificate');
  const seen = createHash('sha256').update(certificate.raw).digest();
  const expected = Buffer.from(pinned, 'hex');
  if (expected.length !== seen.length || !timingSafeEqual(expected, seen)) {
    throw refused(address, `the server certificate has SHA-256 ${seen.toString('hex')}, which is not the pinned one`);
  }
}

function refused(address: NbdAddress, why: string, cause?: unknown): CausewayError {
  return new CausewayError('source.tls-refused', `NBD server ${addressText(address)}: ${why}`, { cause });
}
