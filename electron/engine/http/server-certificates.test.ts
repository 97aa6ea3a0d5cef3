import { X509Certificate } from 'node:crypto';
import { createServer as createPlainServer, type AddressInfo, type Server } from 'node:net';
import { createServer } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { makeCertificate } from '../transport/certificates.ts';
import { serverTrust } from './server-certificates.ts';

const never = new AbortController().signal;
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

test('a certificate that nobody knows is shown and not believed, and is believed once it is trusted', async () => {
  const { certPem, keyPem } = await makeCertificate('localhost');
  const heard: Buffer[] = [];
  const port = await listening(
    createServer({ cert: certPem, key: keyPem }, (socket) =>
      socket.on('data', (bytes) => heard.push(bytes)).on('error', () => undefined),
    ),
  );
  const strange = await serverTrust(`localhost:${port}`, undefined, never);
  expect(strange).toMatchObject({
    address: `localhost:${port}`,
    isVerified: false,
    isCurable: true,
    reason: 'its certificate is self-signed',
  });
  expect(strange.chain).toHaveLength(1);
  expect(strange.chain[0]).toMatchObject({
    sha256: new X509Certificate(certPem).fingerprint256,
    issuer: strange.chain[0]?.subject,
  });
  expect(await serverTrust(`localhost:${port}`, strange.chain[0]?.pem, never)).toMatchObject({ isVerified: true });
  expect(heard).toEqual([]);
});

test('a trusted certificate of another host is not believed', async () => {
  const { certPem, keyPem } = await makeCertificate('elsewhere.example.com');
  const port = await listening(createServer({ cert: certPem, key: keyPem }));
  expect(await serverTrust(`localhost:${port}`, certPem, never)).toMatchObject({
    isVerified: false,
    isCurable: false,
    reason: 'its certificate is for other names',
  });
});

test('a server that speaks no TLS, and a port where nobody listens, are told with the address', async () => {
  const port = await listening(createPlainServer((socket) => socket.end('220 mail\r\n')));
  await expect(serverTrust(`127.0.0.1:${port}`, undefined, never)).rejects.toMatchObject({
    code: 'cloud.unreachable',
    message: expect.stringContaining(String(port)) as string,
  });
  servers.pop()?.close();
  await expect(serverTrust(`127.0.0.1:${port}`, undefined, never)).rejects.toMatchObject({ code: 'cloud.unreachable' });
});

test('a look at a server that says nothing can be cancelled', async () => {
  const connected = Promise.withResolvers<void>();
  const port = await listening(createPlainServer(() => connected.resolve()));
  const controller = new AbortController();
  const look = serverTrust(`127.0.0.1:${port}`, undefined, controller.signal);
  await connected.promise;
  controller.abort(new Error('enough'));
  await expect(look).rejects.toThrow('enough');
});
