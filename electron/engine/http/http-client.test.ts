import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHastyClock } from '../time/testing/hasty-clock.ts';
import { createHttpClient, safeBaseUrl, type HttpClientOptions } from './http-client.ts';
import type { HttpRequest } from './http-request.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** A server that gives these answers in turn, the last one for ever, and notes the requests. */
async function scripted(...answers: readonly Answer[]): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`.trim());
    request.resume().once('end', () => answer?.(response, request));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const say =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  };
const hangUp: Answer = (_response, request) => void request.socket.destroy();
const good = say(200, { ok: true });
const signal = new AbortController().signal;
const get: HttpRequest = { operation: 'read thing', method: 'GET', path: '/thing' };
const post: HttpRequest = { operation: 'create thing', method: 'POST', path: '/things', json: { name: 'a' } };

function client(baseUrl: string, more: Partial<HttpClientOptions> = {}) {
  const clock = createHastyClock();
  return { clock, request: createHttpClient({ baseUrl, clock, random: () => 0, ...more }).request };
}

describe('a request that may be repeated', () => {
  it.each([429, 500, 502, 503, 504])('is, after HTTP %i', async (status) => {
    const server = await scripted(say(status, { code: status, msg: 'later' }), good);
    const { request, clock } = client(server.url);
    expect((await request(get, signal)).body).toEqual({ ok: true });
    expect(server.requests).toHaveLength(2);
    expect(clock.sleeps).toEqual([250]);
  });

  it('is, after a connection that broke', async () => {
    const server = await scripted(hangUp, hangUp, good);
    expect((await client(server.url).request(get, signal)).status).toBe(200);
    expect(server.requests).toHaveLength(3);
  });

  it('waits as long as the server asks for', async () => {
    const server = await scripted(say(429, {}, { 'retry-after': '9' }), good);
    const { request, clock } = client(server.url);
    await request(get, signal);
    expect(clock.sleeps).toEqual([9_000]);
  });

  it('ends after its attempts with the last failure as evidence', async () => {
    const server = await scripted(say(503, { code: 503, msg: 'maintenance' }, { 'x-request-id': 'req-1' }));
    await expect(client(server.url).request(get, signal)).rejects.toMatchObject({
      code: 'cloud.unavailable',
      message: 'read thing: HTTP 503: maintenance',
      details: {
        operation: 'read thing',
        status: 503,
        code: '503',
        msg: 'maintenance',
        requestId: 'req-1',
        ambiguous: true,
      },
    });
    expect(server.requests).toHaveLength(6);
  });

  it('is not, after a clear refusal', async () => {
    const server = await scripted(say(400, { code: 400, msg: 'no such type' }));
    await expect(client(server.url).request(get, signal)).rejects.toMatchObject({
      code: 'cloud.request-refused',
      retryable: false,
    });
    expect(server.requests).toHaveLength(1);
  });
});

describe('a creation', () => {
  it.each([429, 500, 502, 504])(
    'is not repeated after HTTP %i: nobody knows whether it was carried out',
    async (status) => {
      const server = await scripted(say(status, {}), good);
      await expect(client(server.url).request(post, signal)).rejects.toMatchObject({ details: { ambiguous: true } });
      expect(server.requests).toHaveLength(1);
    },
  );

  it('is not repeated after a connection that broke', async () => {
    const server = await scripted(hangUp, good);
    await expect(client(server.url).request(post, signal)).rejects.toMatchObject({
      code: 'cloud.no-answer',
      details: { ambiguous: true },
    });
    expect(server.requests).toHaveLength(1);
  });

  it('is repeated when it surely did not arrive', async () => {
    const server = await scripted(good);
    servers[0]?.close();
    servers[0]?.closeAllConnections();
    const { request, clock } = client(server.url);
    await expect(request(post, signal)).rejects.toMatchObject({
      code: 'cloud.unreachable',
      details: { arrived: false, network: 'ECONNREFUSED' },
    });
    expect(clock.sleeps).toHaveLength(5);
  });
});

describe('the deadline of a request', () => {
  it('ends one that is never answered', async () => {
    const server = await scripted(() => clock.advance(50));
    const { request, clock } = client(server.url, { timeoutMs: 50, backOff: { attempts: 2, firstMs: 1, capMs: 1 } });
    await expect(request(get, signal)).rejects.toMatchObject({ code: 'cloud.no-answer', retryable: true });
    expect(server.requests).toHaveLength(2);
  });

  it('does not come before its time, and begins anew with each attempt', async () => {
    const server = await scripted(
      () => clock.advance(50),
      (...answer) => {
        clock.advance(49);
        good(...answer);
      },
    );
    const { request, clock } = client(server.url, { timeoutMs: 50, backOff: { attempts: 2, firstMs: 1, capMs: 1 } });
    expect((await request(get, signal)).body).toEqual({ ok: true });
    clock.advance(50);
    expect(server.requests).toHaveLength(2);
  });

  it('is not confused with being cancelled', async () => {
    const cancel = new AbortController();
    const server = await scripted(() => cancel.abort(new Error('enough')));
    await expect(client(server.url).request(get, cancel.signal)).rejects.toThrow('enough');
  });
});

describe('authorization', () => {
  it('is renewed once when the server says 401, for creations as well', async () => {
    const server = await scripted(say(401, {}), good);
    const authorize = async (renew: boolean): Promise<string> => (renew ? 'Bearer new' : 'Bearer old');
    expect((await client(server.url, { authorize }).request(post, signal)).status).toBe(200);
    expect(server.requests).toEqual(['POST /things Bearer old', 'POST /things Bearer new']);
  });

  it('fails for good when the new one is refused too', async () => {
    const server = await scripted(say(401, { msg: 'Unauthorized' }));
    const authorize = async (): Promise<string> => 'Bearer s3cr3t-token';
    const failure = await client(server.url, { authorize })
      .request(get, signal)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'cloud.authentication-failed' });
    expect(server.requests).toHaveLength(2);
    expect(JSON.stringify(failure) + String((failure as Error).stack)).not.toContain('s3cr3t');
  });

  it('does not follow a redirect to another place', async () => {
    const elsewhere = await scripted(good);
    const server = await scripted(say(302, '', { location: `${elsewhere.url}/stolen` }));
    await expect(client(server.url, { authorize: async () => 'Bearer x' }).request(get, signal)).rejects.toMatchObject({
      code: 'cloud.unexpected-answer',
    });
    expect(elsewhere.requests).toEqual([]);
  });
});

describe('answers of other forms', () => {
  it('a page in place of JSON is an error, never a value', async () => {
    const server = await scripted(say(200, '<html>sign in</html>'));
    await expect(
      client(server.url, { backOff: { attempts: 1, firstMs: 1, capMs: 1 } }).request(get, signal),
    ).rejects.toMatchObject({ code: 'cloud.unexpected-answer' });
  });

  it("a gateway's page is no evidence, a plain text is", async () => {
    const page = await scripted(say(502, '<html>Bad Gateway</html>'));
    await expect(client(page.url).request(post, signal)).rejects.toMatchObject({ message: 'create thing: HTTP 502' });
    const text = await scripted(say(503, 'upstream connect error'));
    await expect(client(text.url).request(post, signal)).rejects.toMatchObject({
      message: 'create thing: HTTP 503: upstream connect error',
    });
  });

  it('what a server quotes of the request is not repeated', async () => {
    const userData = Buffer.from('-----BEGIN OPENSSH PRIVATE KEY-----'.repeat(9)).toString('base64');
    const server = await scripted(say(400, { msg: `userData "${userData}" is too long` }));
    await expect(client(server.url).request(post, signal)).rejects.toMatchObject({
      message: 'create thing: HTTP 400: userData "[…]" is too long',
    });
  });

  it.each([
    [403, {}, 'cloud.permission-denied'],
    [404, {}, 'cloud.not-found'],
    [409, {}, 'cloud.conflict'],
    [413, {}, 'cloud.quota-exceeded'],
    [400, { msg: 'Quota exceeded for volumes' }, 'cloud.quota-exceeded'],
    [403, { error: { message: 'The request could not be performed' } }, 'cloud.permission-denied'],
  ])('HTTP %i %j is %s', async (status, body, code) => {
    const server = await scripted(say(status, body));
    await expect(client(server.url).request(post, signal)).rejects.toMatchObject({ code, details: { status } });
  });
});

describe('addresses that tokens may go to', () => {
  it.each(['https://iaas.example', 'http://127.0.0.1:8080', 'http://localhost:1', 'http://[::1]:1'])(
    '%s may',
    (text) => {
      expect(safeBaseUrl(text).href).toContain(new URL(text).host);
    },
  );

  it.each(['http://iaas.example', 'http://127.0.0.1.example', 'ftp://x', 'nothing', 'https://user:pass@iaas.example'])(
    '%s may not',
    (text) => {
      expect(() => safeBaseUrl(text)).toThrow(expect.objectContaining({ code: 'cloud.insecure-address' }));
    },
  );
});
