import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it, test } from 'vitest';
import { connectThroughProxy } from './proxy-connection.ts';
import { parseProxy, type ProxyServer } from './proxy-server.ts';
import { connectToBanner } from '../transport/ssh-banner.ts';

const signal = new AbortController().signal;
const servers: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** A proxy that answers as told once it has read a whole request. Resolves with its port and the requests. */
async function proxyThat(
  answer: (request: string, socket: Socket) => void,
): Promise<{ readonly port: number; readonly requests: string[] }> {
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
    const { port, requests } = await proxyThat((_request, socket) =>
      socket.write('HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\nSSH-2.0-Test\r\n'),
    );
    const proxy: ProxyServer = { kind: 'http', host: '127.0.0.1', port, username: 'me', password: 'pä:ss' };
    const socket = await connectToBanner('2001:db8::7', 22, 5000, signal, proxy);
    expect((socket.read() as Buffer).toString()).toBe('SSH-2.0-Test\r\n');
    expect(requests).toEqual([
      `CONNECT [2001:db8::7]:22 HTTP/1.1\r\nHost: [2001:db8::7]:22\r\nProxy-Authorization: Basic ${Buffer.from('me:pä:ss').toString('base64')}\r\n\r\n`,
    ]);
    socket.destroy();
  });

  it('understands an answer byte by byte', async () => {
    const { port } = await proxyThat((_request, socket) => {
      socket.setNoDelay(true);
      for (const byte of 'HTTP/1.0 200 OK\r\n\r\nhello') socket.write(byte);
    });
    const socket = await connectThroughProxy(
      { kind: 'http', host: '127.0.0.1', port },
      'worker.example',
      22,
      5000,
      signal,
    );
    let said = '';
    for await (const piece of socket) {
      said += String(piece);
      if (said === 'hello') break;
    }
    expect(said).toBe('hello');
  });

  it.each([
    ['HTTP/1.1 403 Forbidden\r\n\r\n', 'transport.proxy-refused', 'HTTP/1.1 403 Forbidden'],
    [
      'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Negotiate\r\nproxy-authenticate: NTLM\r\n\r\n',
      'transport.proxy-refused',
      'it accepts Negotiate, NTLM',
    ],
    ['x'.repeat(20_000), 'transport.proxy-refused', 'does not answer as an HTTP proxy'],
    ['', 'transport.unreachable', 'closed the connection'],
  ])('says what the proxy answered: %s', async (answer, code, text) => {
    const { port } = await proxyThat((_request, socket) => (answer === '' ? socket.end() : socket.write(answer)));
    const attempt = connectThroughProxy(
      { kind: 'http', host: '127.0.0.1', port, username: 'me', password: 'secret-word' },
      'worker.example',
      22,
      5000,
      signal,
    );
    const error = await attempt.then(
      () => undefined,
      (reason: Error) => reason,
    );
    expect(error).toMatchObject({ code, message: expect.stringContaining(text) as string });
    expect(error?.message).toContain('worker.example:22');
    expect(error?.message).not.toContain('secret-word');
  });

  it('ends by the deadline and by the signal', async () => {
    const { port } = await proxyThat(() => undefined);
    const proxy: ProxyServer = { kind: 'http', host: '127.0.0.1', port };
    await expect(connectThroughProxy(proxy, 'a', 22, 20, signal)).rejects.toMatchObject({
      code: 'transport.unreachable',
    });
    await expect(connectThroughProxy(proxy, 'a', 22, 60_000, AbortSignal.timeout(20))).rejects.toMatchObject({
      code: 'general.cancelled',
    });
  });
});

describe('a connection by SOCKS 5', () => {
  /** Answers the messages of the client one after the other, and notes them. */
  const socksThat = async (...answers: readonly Buffer[]) => {
    const said: Buffer[] = [];
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('data', (piece: Buffer) => {
        const answer = answers[said.push(piece) - 1];
        if (answer === undefined) return;
        socket.setNoDelay(true);
        for (const byte of answer.subarray(0, 10)) socket.write(Buffer.from([byte]));
        if (answer.length > 10) socket.write(answer.subarray(10));
      });
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { port: (server.address() as AddressInfo).port, said };
  };
  const opened = Buffer.from([5, 0, 0, 1, 192, 0, 2, 1, 0, 80]);

  it('names the target, and gives on what it sends right behind the answer', async () => {
    const { port, said } = await socksThat(
      Buffer.from([5, 0]),
      Buffer.concat([opened, Buffer.from('SSH-2.0-Test\r\n')]),
    );
    const socket = await connectToBanner('worker.example', 22, 5000, signal, {
      kind: 'socks5',
      host: '127.0.0.1',
      port,
    });
    expect(said).toEqual([
      Buffer.from([5, 1, 0]),
      Buffer.concat([Buffer.from([5, 1, 0, 3, 14]), Buffer.from('worker.example'), Buffer.from([0, 22])]),
    ]);
    socket.destroy();
  });

  it('signs in where it is asked to, and takes each form of address', async () => {
    const named = Buffer.concat([Buffer.from([5, 0, 0, 3, 3]), Buffer.from('abc'), Buffer.from([0, 80])]);
    const { port, said } = await socksThat(Buffer.from([5, 2]), Buffer.from([1, 0]), named);
    const socket = await connectThroughProxy(
      { kind: 'socks5', host: '127.0.0.1', port, username: 'me', password: 'pä' },
      '2001:db8::7',
      5566,
      5000,
      signal,
    );
    expect(said[0]).toEqual(Buffer.from([5, 2, 0, 2]));
    expect(said[1]).toEqual(
      Buffer.concat([Buffer.from([1, 2]), Buffer.from('me'), Buffer.from([3]), Buffer.from('pä')]),
    );
    expect(said[2]).toEqual(
      Buffer.from([5, 1, 0, 4, 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 5566 >> 8, 5566 & 255]),
    );
    socket.destroy();
    const four = await socksThat(Buffer.from([5, 0]), Buffer.concat([Buffer.from([5, 0, 0, 4]), Buffer.alloc(18)]));
    (
      await connectThroughProxy(
        { kind: 'socks5', host: '127.0.0.1', port: four.port },
        '198.51.100.7',
        443,
        5000,
        signal,
      )
    ).destroy();
    expect(four.said[1]).toEqual(Buffer.from([5, 1, 0, 1, 198, 51, 100, 7, 1, 187]));
  });

  it.each([
    ['rules', [Buffer.from([5, 0]), Buffer.from([5, 2, 0, 1, 0, 0, 0, 0, 0, 0])], 'its rules do not allow'],
    ['an unknown failure', [Buffer.from([5, 0]), Buffer.from([5, 99, 0, 1, 0, 0, 0, 0, 0, 0])], 'failure 99'],
    ['a sign-in that it was not given', [Buffer.from([5, 255])], 'asks for a sign-in'],
    ['another protocol', [Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')], 'does not answer as a SOCKS 5 proxy'],
  ])('says why it was refused: %s', async (_what, answers, evidence) => {
    const { port } = await socksThat(...answers);
    await expect(
      connectThroughProxy({ kind: 'socks5', host: '127.0.0.1', port }, 'worker.example', 22, 5000, signal),
    ).rejects.toMatchObject({ code: 'transport.proxy-refused', message: expect.stringContaining(evidence) as string });
  });

  it('says that user and password were refused, without them', async () => {
    const { port } = await socksThat(Buffer.from([5, 2]), Buffer.from([1, 1]));
    const refused = await connectThroughProxy(
      { kind: 'socks5', host: '127.0.0.1', port, username: 'me', password: 'secret-word' },
      'a',
      22,
      5000,
      signal,
    ).catch((error: Error) => error);
    expect(refused).toMatchObject({
      code: 'transport.proxy-refused',
      message: expect.stringContaining('refused user and password') as string,
    });
    expect(String(refused)).not.toContain('secret-word');
  });
});

test.each([
  ['http://proxy.example:3128', { kind: 'http', host: 'proxy.example', port: 3128 }],
  ['http://proxy.example', { kind: 'http', host: 'proxy.example', port: 80 }],
  ['https://proxy.example', { kind: 'https', host: 'proxy.example', port: 443 }],
  ['socks5://proxy.example', { kind: 'socks5', host: 'proxy.example', port: 1080 }],
  ['socks5h://[2001:db8::1]:1081', { kind: 'socks5', host: '2001:db8::1', port: 1081 }],
  [
    'http://a%40b:p%3Aw@[2001:db8::1]:8080/',
    { kind: 'http', host: '2001:db8::1', port: 8080, username: 'a@b', password: 'p:w' },
  ],
])('%s is a proxy', (text, proxy) => expect(parseProxy(text, 'it')).toEqual(proxy));

test.each([
  'proxy.example:3128',
  'ftp://proxy.example',
  'socks4://proxy.example',
  'http://proxy.example/path',
  'http://:secret-word@',
  'http://me:secret-word%@proxy.example',
  '',
])('%s is none', (text) => {
  expect(() => parseProxy(text, 'CAUSEWAY_SSH_PROXY')).toThrow(
    expect.objectContaining({
      code: 'general.invalid-input',
      message: expect.not.stringContaining('secret-word') as string,
    }) as Error,
  );
});
