import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  authenticateMessage,
  channelBindings,
  md4,
  negotiateMessage,
  ntResponse,
  ntlmAccount,
  responseKey,
} from './ntlm.ts';

/** The examples of MS-NLMP, 4.2. */
const account = { domain: 'Domain', user: 'User', password: 'Password' };
const serverChallenge = Buffer.from('0123456789abcdef', 'hex');
const clientChallenge = Buffer.alloc(8, 0xaa);
const info = Buffer.from('02000c0044006f006d00610069006e0001000c0053006500720076006500720000000000', 'hex');

test('hashes as RFC 1320 and the examples of the specification do', () => {
  expect(md4(Buffer.alloc(0)).toString('hex')).toBe('31d6cfe0d16ae931b73c59d7e0c089c0');
  expect(md4(Buffer.from('message digest')).toString('hex')).toBe('d9130a8164549fe818874806e1c7014b');
  expect(
    md4(Buffer.from('12345678901234567890123456789012345678901234567890123456789012345678901234567890')).toString(
      'hex',
    ),
  ).toBe('e33b4ddc9c38f2199c3e7b164fcc0536');
  expect(md4(Buffer.from('Password', 'utf16le')).toString('hex')).toBe('a4f49c406510bdcab6824ee7c30fd852');
});

test('derives key and proof as the examples of the specification do', () => {
  const key = responseKey(account);
  expect(key.toString('hex')).toBe('0c868a403bfd7a93a3001ef22ef02e3f');
  expect(ntResponse(key, serverChallenge, clientChallenge, Buffer.alloc(8), info).proof.toString('hex')).toBe(
    '68cd0ab851e51c96aabc927bebef6a1c',
  );
});

test('puts the user name in capitals as Windows does, letter by letter', () => {
  const keyOf = (user: string): string => responseKey({ domain: 'D', user, password: 'p' }).toString('hex');
  expect(keyOf('j\u00f6rg.wei\u00df')).toBe(keyOf('J\u00d6RG.WEI\u00df'));
  expect(keyOf('wei\u00df')).not.toBe(keyOf('WEISS'));
});

test('takes the domain from the user name', () => {
  expect(ntlmAccount('EXAMPLE\\migration', 'x')).toMatchObject({ domain: 'EXAMPLE', user: 'migration' });
  expect(ntlmAccount('migration@example.com', 'x')).toMatchObject({ domain: '', user: 'migration@example.com' });
});

test('binds the certificate of the server by the hash of its signature', () => {
  const certificate = Buffer.from('302a864886f70d01010b30', 'hex');
  const bound = Buffer.concat([
    Buffer.from('tls-server-end-point:'),
    createHash('sha256').update(certificate).digest(),
  ]);
  const structure = Buffer.concat([Buffer.alloc(16), Buffer.from([bound.length, 0, 0, 0]), bound]);
  expect(channelBindings(certificate)).toEqual(createHash('md5').update(structure).digest());
  const pss = Buffer.from('302a864886f70d01010a30608648016503040203', 'hex');
  const long = Buffer.concat([Buffer.from('tls-server-end-point:'), createHash('sha512').update(pss).digest()]);
  expect(channelBindings(pss)).toEqual(
    createHash('md5')
      .update(Buffer.concat([Buffer.alloc(16), Buffer.from([long.length, 0, 0, 0]), long]))
      .digest(),
  );
  expect(channelBindings(Buffer.from('302a864886f70d01010c30', 'hex'))).not.toEqual(
    channelBindings(Buffer.from('302a864886f70d01010b31', 'hex')),
  );
});

test('refuses a challenge that is cut off, and never sends the password', () => {
  const challenge = Buffer.alloc(56);
  challenge.write('NTLMSSP\0', 'latin1');
  challenge.writeUInt32LE(2, 8);
  challenge.writeUInt32LE(48, 44);
  serverChallenge.copy(challenge, 24);
  expect(() =>
    authenticateMessage(negotiateMessage(), challenge.subarray(0, 40), account, Buffer.alloc(4), 'HTTP/h'),
  ).toThrow(/challenge/);
  challenge.writeUInt16LE(200, 40);
  expect(() => authenticateMessage(negotiateMessage(), challenge, account, Buffer.alloc(4), 'HTTP/h')).toThrow(
    /challenge/,
  );
  challenge.writeUInt16LE(0, 40);
  const message = authenticateMessage(negotiateMessage(), challenge, account, Buffer.alloc(4), 'HTTP/h');
  expect(message.includes(Buffer.from('Password', 'utf16le'))).toBe(false);
  expect(message.includes(Buffer.from('User', 'utf16le'))).toBe(true);
});
