import { expect, test } from 'vitest';
import type { TransportRequest } from '../../../http/transport.ts';
import { parseConnection } from './connection.ts';
import { lostClone, speaksOf } from './lost-clones.ts';
import type { Manager } from './open-manager.ts';
import { cookiesOf, sessionTransport } from './session-transport.ts';

const signal = new AbortController().signal;
const request: TransportRequest = {
  url: new URL('https://manager.example.com/Vm'),
  method: 'GET',
  headers: {},
  body: undefined,
};

test('a connection leads to the manager, also by an IPv6 address', () => {
  expect(parseConnection({ host: 'manager.example.com', username: 'admin', password: 'secret' })).toMatchObject({
    baseUrl: 'https://manager.example.com:7002/ovm/core/wsapi/rest',
    trust: { allowUntrusted: false },
  });
  expect(parseConnection({ host: '2001:db8::1', port: 443, username: 'a', password: 'b' }).baseUrl).toBe(
    'https://[2001:db8::1]:443/ovm/core/wsapi/rest',
  );
  expect(() => parseConnection({ host: 'x', username: 'a', password: '', port: 0 })).toThrow('port, password');
});

test('cookies are told apart although their dates have commas', () => {
  expect(cookiesOf('JSESSIONID=a=b; path=/ovm; HttpOnly, locale=en; expires=Wed, 09 Jun 2100 10:18:14 GMT')).toEqual([
    ['JSESSIONID', 'a=b'],
    ['locale', 'en'],
  ]);
  expect(cookiesOf(null)).toEqual([]);
});

test('the password goes with the first request alone, and once more when the session has ended', async () => {
  const seen: (string | undefined)[][] = [];
  let valid = 0;
  const transport = sessionTransport(
    {
      async send({ headers }) {
        seen.push([headers['authorization']?.slice(0, 5), headers['cookie']]);
        const isGood = headers['authorization'] !== undefined || headers['cookie'] === `JSESSIONID=${valid}`;
        if (headers['authorization'] !== undefined) valid += 1;
        return {
          status: isGood ? 200 : 401,
          headers: new Headers(
            headers['authorization'] === undefined ? {} : { 'set-cookie': `JSESSIONID=${valid}; path=/` },
          ),
          bytes: Buffer.alloc(0),
        };
      },
      close: () => undefined,
    },
    { username: 'admin', password: 'secret' },
  );
  await transport.send(request, signal);
  await transport.send(request, signal);
  valid += 1;
  expect((await transport.send(request, signal)).status).toBe(200);
  await transport.send(request, signal);
  expect(seen).toEqual([
    ['Basic', undefined],
    [undefined, 'JSESSIONID=1'],
    [undefined, 'JSESSIONID=1'],
    ['Basic', undefined],
    [undefined, 'JSESSIONID=3'],
  ]);
});

test('requests that come together open one session', async () => {
  let signIns = 0;
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  const transport = sessionTransport(
    {
      async send({ headers }) {
        if (headers['authorization'] === undefined)
          return { status: 200, headers: new Headers(), bytes: Buffer.alloc(0) };
        signIns += 1;
        await answered;
        return { status: 200, headers: new Headers({ 'set-cookie': 'JSESSIONID=1' }), bytes: Buffer.alloc(0) };
      },
      close: () => undefined,
    },
    { username: 'admin', password: 'secret' },
  );
  const all = Array.from({ length: 4 }, () => transport.send(request, signal));
  const impatient = new AbortController();
  const cancelled = transport.send(request, impatient.signal);
  impatient.abort(new Error('stop'));
  await expect(cancelled).rejects.toThrow();
  resolve();
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(signIns).toBe(1);
});

test('a name is found as a whole alone', () => {
  const text = 'Clone Virtual Disk: web-1 to repository: repo-1';
  expect(['web-1', 'repo-1', 'web', 'eb-1', 'repo', ''].map((name) => speaksOf(text, name))).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
  expect(speaksOf('web-10 and web-1.', 'web-1')).toBe(true);
  expect(speaksOf('web-1.img', 'web-1')).toBe(false);
});

test('a clone without a name is the one that began in the window, of the right original, by the same user; of two, none is', async () => {
  const window = { since: 100, until: 200 };
  const lost = (...jobs: readonly [number, string, string?][]) =>
    lostClone(
      {
        connection: { username: 'admin' },
        api: {
          read: async () => jobs.map(([at]) => ({ value: String(at) })),
          find: async (_shape: unknown, _what: string, path: string) => {
            const [at, description, user] = jobs.find(([each]) => path.endsWith(`/${each}`)) ?? [0, ''];
            return {
              id: { value: String(at) },
              description,
              user,
              summaryDone: true,
              resultId: { value: `made-${at}` },
            };
          },
        },
      } as unknown as Manager,
      window,
      [{ id: 'id-1', name: 'web-1' }],
      async (id) => id,
      signal,
    );
  expect(await lost([150, 'Clone Virtual Disk: web-1 to repository: r', 'admin'])).toBe('made-150');
  expect(await lost([150, 'Clone Virtual Disk: web-10 to repository: r', 'admin'])).toBeUndefined();
  expect(await lost([150, 'Edit Virtual Disk: web-1', 'admin'])).toBeUndefined();
  expect(await lost([100, 'Clone Virtual Disk: web-1'], [201, 'Clone Virtual Disk: web-1'])).toBeUndefined();
  expect(await lost([150, 'Clone Virtual Disk: web-1', 'somebody'])).toBeUndefined();
  expect(await lost([150, 'Clone Virtual Disk: web-1'], [160, 'Clone Virtual Disk: web-1'])).toBeUndefined();
});
