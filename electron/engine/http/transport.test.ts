import { createServer as createPlainServer, type Server as PlainServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../transport/certificates.ts';
import { createHttpClient } from './http-client.ts';
import { createTransport } from './transport.ts';

const signal = new AbortController().signal;
const request = { operation: 'read thing', method: 'GET', path: '/' } as const;
const backOff = { attempts: 3, firstMs: 1, capMs: 1 };

describe('TLS', () => {
  let server: Server;
  let url: string;
  let certificate: string;
  let connections = 0;
  let calls = 0;
  beforeAll(async () => {
    const made = await makeCertificate('localhost');
    certificate = made.certPem;
    server = createServer({ cert: made.certPem, key: made.keyPem }, (_request, response) => {
      calls += 1;
      response.writeHead(200).end('{"ok":true}');
    });
    server.on('secureConnection', () => (connections += 1));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `https://localhost:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  it('trusts the authority that is given, and keeps its connection', async () => {
    const transport = createTransport({ caCertificate: certificate });
    const client = createHttpClient({ baseUrl: url, transport });
    for (let round = 0; round < 3; round += 1)
      expect((await client.request(request, signal)).body).toEqual({ ok: true });
    expect(connections).toBe(1);
    transport.close();
  });

  it('sends nothing to a server that it does not trust, and does not try again', async () => {
    const before = calls;
    const transport = createTransport();
    const failure = await createHttpClient({ baseUrl: url, transport, backOff })
      .request(request, signal)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'cloud.certificate-not-trusted',
      retryable: false,
      details: { network: expect.stringMatching(/CERT/) as unknown },
    });
    expect(calls).toBe(before);
    transport.close();
  });

  it('sends to any server when a person said that none is to be verified', async () => {
    const transport = createTransport({ allowUntrusted: true });
    expect((await createHttpClient({ baseUrl: url, transport }).request(request, signal)).body).toEqual({ ok: true });
    transport.close();
  });
});

describe('a part that goes to a place', () => {
  const content = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
  let server: PlainServer;
  let url: URL;
  beforeAll(async () => {
    server = createPlainServer((asked, response) => {
      const whole = asked.url === '/whole';
      const part = asked.url === '/short' ? content.subarray(0, 1000) : content;
      response.writeHead(whole ? 200 : 206, {
        'content-length': part.length,
        'content-range': `bytes ${asked.url === '/other' ? 512 : 0}-${content.length - 1}/${content.length}`,
      });
      if (asked.url === '/cut') response.write(part.subarray(0, 200_000), () => response.destroy());
      else response.end(part);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  const transport = createTransport();
  const ask = (path: string, into: Uint8Array) =>
    transport.send(
      {
        url: new URL(path, url),
        method: 'GET',
        headers: { 'x-ms-range': `bytes=0-${content.length - 1}` },
        body: undefined,
        into,
      },
      signal,
    );

  it('is there, and nowhere else', async () => {
    const into = new Uint8Array(content.length);
    expect(await ask('/part', into)).toMatchObject({ status: 206, isInPlace: true, bytes: Buffer.alloc(0) });
    expect(content.equals(into)).toBe(true);
    transport.close();
  });

  it.each(['/whole', '/short', '/other'])(
    'is given back as usual where the answer is another one (%s)',
    async (path) => {
      const into = new Uint8Array(content.length);
      const answer = await ask(path, into);
      expect(answer.isInPlace).toBeUndefined();
      expect(content.subarray(0, answer.bytes.length).equals(answer.bytes)).toBe(true);
      expect(into.every((byte) => byte === 0)).toBe(true);
      transport.close();
    },
  );

  it('fails where the connection ends within it', async () => {
    await expect(ask('/cut', new Uint8Array(content.length))).rejects.toThrow(/aborted|cut off|hang up/);
    transport.close();
  });
});
