import { expect, test } from 'vitest';
import { findKdcs, parseKdc } from './kdc.ts';
import { principalOf } from './kerberos-login.ts';

test('finds the controllers of a domain by DNS, the nearest first, or by the name of the domain', async () => {
  const asked: string[] = [];
  const found = await findKdcs(
    'CORP.EXAMPLE.COM',
    undefined,
    async (name) => (
      asked.push(name),
      [
        { name: 'far.example.com', port: 88, priority: 10 },
        { name: 'near.example.com', port: 1088, priority: 0 },
      ]
    ),
  );
  expect(asked).toEqual(['_kerberos._tcp.corp.example.com']);
  expect(found).toEqual([
    { host: 'near.example.com', port: 1088 },
    { host: 'far.example.com', port: 88 },
    { host: 'corp.example.com', port: 88 },
  ]);
  expect(await findKdcs('CORP.EXAMPLE.COM', undefined, () => Promise.reject(new Error('ENOTFOUND')))).toEqual([
    { host: 'corp.example.com', port: 88 },
  ]);
  expect(await findKdcs('CORP.EXAMPLE.COM', 'dc01', () => Promise.reject(new Error('not asked')))).toEqual([
    { host: 'dc01', port: 88 },
  ]);
});

test('reads the address of a controller', () => {
  expect(['dc01', 'dc01.example.com:1088', '[fd00::1]:88', '[fd00::1]'].map(parseKdc)).toEqual([
    { host: 'dc01', port: 88 },
    { host: 'dc01.example.com', port: 1088 },
    { host: 'fd00::1', port: 88 },
    { host: 'fd00::1', port: 88 },
  ]);
});

test('takes the domain from the user name, else from the host', () => {
  const of = (username: string, host = 'hv01.corp.example.com'): string => {
    const { realm, client } = principalOf({ username, host });
    return `${client.parts.join('/')} in ${realm}`;
  };
  expect(
    ['me', 'me@other.example.com', 'a@b@other.example.com', 'CORP\\me', 'other.example.com\\me'].map((name) =>
      of(name),
    ),
  ).toEqual([
    'me in CORP.EXAMPLE.COM',
    'me in OTHER.EXAMPLE.COM',
    'a@b in OTHER.EXAMPLE.COM',
    'me in CORP.EXAMPLE.COM',
    'me in OTHER.EXAMPLE.COM',
  ]);
  expect(() => of('CORP\\me', 'hv01')).toThrow(/give the user as user@domain/);
});
