import { expect, test } from 'vitest';
import type { TransportRequest } from '../../../http/transport.ts';
import { parseConnection } from './connection.ts';
import { cookiesOf, sessionTransport } from './session-transport.ts';

const signal = new AbortController().signal;
const request: TransportRequest = { url: new URL('https://manager.example.com/Vm'), method: 'GET', headers: {}, body: undefined };

test('a connection leads to the manager, also by an IPv6 address', () => {
  expect(parseConnection({ host: 'manager.example.com', username: 'admin', password: 'secret' })).toMatchObject({ baseUrl: 'https://manager.example.com:7002/ovm/core/wsapi/rest', trust: { allowUntrusted: false } });
  expect(parseConnection({ host: '2001:db8::1', port: 443, username: 'a', password: 'b' }).baseUrl).toBe('https://[2001:db8::1]:443/ovm/core/wsapi/rest');
  expect(() => parseConnection({ host: 'x', username: 'a', password: '', port: 0 })).toThrow('port, password');
});

test('cookies are told apart although their dates have commas', () => {
  expect(cookiesOf('JSESSIONID=a=b; path=/ovm; HttpOnly, locale=en; expires=Wed, 09 Jun 2100 10:18:14 GMT')).toEqual([['JSESSIONID', 'a=b'], ['locale', 'en']]);
  expect(cookiesOf(null)).toEqual([]);
});

test('the password goes with the first request alone, and once more when the session has ended', async () => {
  const seen: (string | undefined)[][] = [];
  let valid = 0;
  const transport = sessionTransport({
    async send({ headers }) {
      seen.push([headers['authorization']?.slice(0, 5), headers['cookie']]);
      const isGood = headers['authorization'] !== undefined || headers['cookie'] === `JSESSIONID=${valid}`;
      if (headers['authorization'] !== undefined) valid += 1;
      return { status: isGood ? 200 : 401, headers: new Headers(headers['authorization'] === undefined ? {} : { 'set-cookie': `JSESSIONID=${valid}; path=/` }), bytes: Buffer.alloc(0) };
    },
    close: () => undefined,
  }, { username: 'admin', password: 'secret' });
  await transport.send(request, signal);
  await transport.send(request, signal);
  valid += 1;
  expect((await transport.send(request, signal)).status).toBe(200);
  await transport.send(request, signal);
  expect(seen).toEqual([['Basic', undefined], [undefined, 'JSESSIONID=1'], [undefined, 'JSESSIONID=1'], ['Basic', undefined], [undefined, 'JSESSIONID=3']]);
});
