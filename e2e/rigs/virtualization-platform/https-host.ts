import { X509Certificate } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeCertificate } from '../../../electron/engine/transport/certificates.ts';

/** An HTTPS server on loopback that stands for a host or vCenter. */
export interface HttpsHost {
  readonly host: string;
  readonly port: number;
  readonly certificate: string;
  /** SHA-1 of the certificate, as the platform writes it. */
  readonly sslThumbprint: string;
  /** Connections so far. */
  readonly connections: () => number;
  stop(): Promise<void>;
}

/** The handlers are asked in order; one that returns false leaves the request to the next. */
export async function startHttpsHost(
  ...handlers: readonly ((request: IncomingMessage, response: ServerResponse) => boolean)[]
): Promise<HttpsHost> {
  const { certPem, keyPem } = await makeCertificate('localhost');
  let connections = 0;
  const server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
    if (!handlers.some((handle) => handle(request, response))) response.writeHead(404).end();
  });
  server.on('secureConnection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: 'localhost',
    port: (server.address() as AddressInfo).port,
    certificate: certPem,
    sslThumbprint: new X509Certificate(certPem).fingerprint,
    connections: () => connections,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
