import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it, test } from 'vitest';
import { connectThroughProxy, parseProxy, workerProxy } from './proxy-connection.ts';
import { connectToBanner } from '../transport/ssh-banner.ts';

const signal = new AbortController().signal;
const servers: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** A proxy that answers as told once it has read a whole request. Resolves with its port and the requests. */
async function proxyThat(answer: (request: string, socket: Socket) => void): Promise<{ readonly port: number; readonly requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    let come = '';
    socket.on('error', () => undefined);
    socket.on('data', (piece) => {
      come += piece.toString('latin1');
      if (!come.endsWith('\r\n\r\n')) return;
      requests.push(come);
      answer(come, socket);
      come = '';
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, requests };
}

describe('a connection by HTTP CONNECT', () => {
  it('gives on what the other side sends right behind the answer', async () => {
    const { port, requests } = await proxyThat((_request, socket) => socket.write('HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\nSSH-2.0-Test\r\n'));
    const proxy = { host: '127.0.0.1', port, username: 'me', password: 'pä:ss' };
    const socket = await connectToBanner('2001:db8::7', 22, 5000, signal, proxy);
    expect((socket.read() as Buffer).toString()).toBe('SSH-2.0-Test\r\n');
    expect(requests).toEqual([`CONNECT [2001:db8::7]:22 HTTP/1.1\r\nHost: [2001:db8::7]:22\r\nProxy-Authorization: Basic ${Buffer.from('me:pä:ss').toString('base64')}\r\n\r\n`]);
    socket.destroy();
  });

  it('understands an answer byte by byte', async () => {
    const { port } = await proxyThat((_request, socket) => {
      socket.setNoDelay(true);
      for (const byte of 'HTTP/1.0 200 OK\r\n\r\nhello') socket.write(byte);
    });
    const socket = await connectThroughProxy({ host: '127.0.0.1', port }, 'worker.example', 22, 5000, signal);
    let said = '';
    for await (const piece of socket) {
      said += String(piece);
      if (said === 'hello') break;
    }
    expect(said).toBe('hello');
  });

  it.each([
    ['HTTP/1.1 403 Forbidden\r\n\r\n', 'transport.proxy-refused', 'HTTP/1.1 403 Forbidden'],
    ['HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Negotiate\r\nproxy-authenticate: NTLM\r\n\r\n', 'transport.proxy-refused', 'it accepts Negotiate, NTLM'],
    ['x'.repeat(20_000), 'transport.proxy-refused', 'does not answer as an HTTP proxy'],
    ['', 'transport.unreachable', 'closed the connection'],
  ])('says what the proxy answered: %s', async (answer, code, text) => {
    const { port } = await proxyThat((_request, socket) => (answer === '' ? socket.end() : socket.write(answer)));
    const attempt = connectThroughProxy({ host: '127.0.0.1', port, username: 'me', password: 'secret-word' }, 'worker.example', 22, 5000, signal);
    const error = await attempt.then(() => undefined, (reason: Error) => reason);
    expect(error).toMatchObject({ code, message: expect.stringContaining(text) as string });
    expect(error?.message).toContain('worker.example:22');
    expect(error?.message).not.toContain('secret-word');
  });

  it('ends by the deadline and by the signal', async () => {
    const { port } = await proxyThat(() => undefined);
    const proxy = { host: '127.0.0.1', port };
    await expect(connectThroughProxy(proxy, 'a', 22, 20, signal)).rejects.toMatchObject({ code: 'transport.unreachable' });
    await expect(connectThroughProxy(proxy, 'a', 22, 60_000, AbortSignal.timeout(20))).rejects.toMatchObject({ code: 'general.cancelled' });
  });
});

test.each([
  ['http://proxy.example:3128', { host: 'proxy.example', port: 3128 }],
  ['http://proxy.example', { host: 'proxy.example', port: 80 }],
  ['http://a%40b:p%3Aw@[2001:db8::1]:8080/', { host: '2001:db8::1', port: 8080, username: 'a@b', password: 'p:w' }],
])('%s is a proxy', (text, proxy) => expect(parseProxy(text, 'it')).toEqual(proxy));

test.each(['proxy.example:3128', 'https://proxy.example', 'socks5://proxy.example', 'http://proxy.example/path', 'http://:secret-word@', ''])('%s is none', (text) => {
  expect(() => parseProxy(text, 'CAUSEWAY_SSH_PROXY')).toThrow(expect.objectContaining({ code: 'general.invalid-input', message: expect.not.stringContaining('secret-word') as string }) as Error);
});

test('the proxy for workers is used where it is set, never for loopback and for what is exempt', () => {
  const environment = { CAUSEWAY_SSH_PROXY: 'http://proxy.example:3128', NO_PROXY: 'intern.example, .lab.example 192.0.2.7' };
  const isUsed = (host: string, from: NodeJS.ProcessEnv = environment): boolean => workerProxy(host, from) !== undefined;
  for (const host of ['198.51.100.7', 'worker.example', 'notintern.example', '2001:db8::7']) expect([host, isUsed(host)]).toEqual([host, true]);
  for (const host of ['127.0.0.1', '::1', 'localhost', 'intern.example', 'a.intern.example', 'A.LAB.example', '192.0.2.7']) expect([host, isUsed(host)]).toEqual([host, false]);
  expect(isUsed('198.51.100.7', { ...environment, NO_PROXY: '*' })).toBe(false);
  expect(isUsed('198.51.100.7', {})).toBe(false);
});
