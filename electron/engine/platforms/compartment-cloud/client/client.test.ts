import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createHastyClock } from '../../../time/testing/hasty-clock.ts';
import type { Transport, TransportRequest } from '../../../http/transport.ts';
import { parseConnection } from './connection.ts';
import { openOci } from './open-oci.ts';
import { signedHeaders, signingTransport } from './request-signature.ts';
import { fingerprintOf, readPrivateKey, tokenEnd } from './sign-in.ts';

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const usual = { region: 'eu-frankfurt-1', tenancy: 't', user: 'u', private_key_data: pem, fingerprint: 'AA:bb' };
const signal = new AbortController().signal;

describe('a connection', () => {
  test('leads to the services of its region and realm', () => {
    const connection = parseConnection({ ...usual, region: ' EU-Frankfurt-1 ' });
    expect(connection).toMatchObject({ signIn: 'api_key', region: 'eu-frankfurt-1', fingerprint: 'aa:bb' });
    expect(connection.serviceUrl('iaas')).toBe('https://iaas.eu-frankfurt-1.oraclecloud.com');
    expect(connection.serviceUrl('limits')).toBe('https://limits.eu-frankfurt-1.oci.oraclecloud.com');
    expect(parseConnection({ ...usual, realm_domain: 'oraclegovcloud.com' }).serviceUrl('identity')).toBe(
      'https://identity.eu-frankfurt-1.oraclegovcloud.com',
    );
    expect(parseConnection({ ...usual, service_url: 'https://cloud.example/' }).serviceUrl('limits')).toBe(
      'https://cloud.example/limits',
    );
  });

  test('names what is missing for its way of signing in, and no value', () => {
    expect(() => parseConnection({ region: 'r', private_key_data: 'very secret' })).toThrow(
      /tenancy, user, fingerprint$/,
    );
    expect(() => parseConnection({ region: 'r', sign_in: 'session_token' })).toThrow('session_token');
    expect(parseConnection({ region: 'r', sign_in: 'instance_principal' }).tenancy).toBeUndefined();
    expect(parseConnection({ ...usual, session_token: 'x.y.z' }).signIn).toBe('session_token');
  });
});

describe('a private key', () => {
  test('is read with what stands around it, encrypted or not', () => {
    expect(readPrivateKey(`${pem}\nOCI_API_KEY\n`, undefined).asymmetricKeyType).toBe('rsa');
    const locked = pair.privateKey
      .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'open' })
      .toString();
    expect(readPrivateKey(locked, 'open').asymmetricKeyType).toBe('rsa');
    expect(() => readPrivateKey(locked, undefined)).toThrow('private_key_passphrase is not set');
    expect(() => readPrivateKey(locked, 'wrong')).toThrow('does not decrypt');
    expect(() => readPrivateKey('nothing', undefined)).toThrow('not a private key');
    const other = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(() => readPrivateKey(other, undefined)).toThrow('RSA');
  });

  test('has the fingerprint that the console shows', () => {
    expect(fingerprintOf(pair.privateKey)).toMatch(/^([0-9a-f]{2}:){15}[0-9a-f]{2}$/);
  });
});

/** What the signature of a request was made over, put together anew. */
function isSigned(request: TransportRequest, headers: Record<string, string>): boolean {
  const parts = /headers="([^"]+)",signature="([^"]+)"/.exec(headers['authorization'] ?? '');
  const text = (parts?.[1] ?? '')
    .split(' ')
    .map((name) => {
      if (name === '(request-target)')
        return `${name}: ${request.method.toLowerCase()} ${request.url.pathname}${request.url.search}`;
      return name === 'content-length'
        ? `${name}: ${Buffer.byteLength(request.body ?? '')}`
        : `${name}: ${headers[name] ?? ''}`;
    })
    .join('\n');
  return verify('sha256', Buffer.from(text), createPublicKey(pem), Buffer.from(parts?.[2] ?? '', 'base64'));
}

describe('a signature', () => {
  const key = { keyId: 't/u/f', privateKey: pair.privateKey };
  const request = (method: string, body?: string): TransportRequest => ({
    url: new URL('https://iaas.example/20160918/volumes?a=b%20c'),
    method,
    headers: {},
    body,
  });

  test('covers the first line, date and host, and the body where there is one', () => {
    const read = signedHeaders(request('GET'), key, Date.UTC(2026, 0, 1));
    expect(read['date']).toBe('Thu, 01 Jan 2026 00:00:00 GMT');
    expect(read['authorization']).toContain('headers="date (request-target) host"');
    expect(isSigned(request('GET'), read)).toBe(true);
    const change = signedHeaders(request('POST', '{"a":1}'), key, 0);
    expect(change['x-content-sha256']).toBe(createHash('sha256').update('{"a":1}').digest('base64'));
    expect(isSigned(request('POST', '{"a":1}'), change)).toBe(true);
    expect(isSigned(request('POST', '{"a":22}'), change)).toBe(false);
  });

  test('is made anew after a refusal, once, and for each repetition', async () => {
    const asked: boolean[] = [];
    const sent: string[] = [];
    const inner: Transport = {
      async send({ headers }) {
        sent.push(headers['authorization'] ?? '');
        return { status: sent.length === 1 ? 401 : 200, headers: new Headers(), bytes: Buffer.alloc(0) };
      },
      close: () => undefined,
    };
    const clock = createHastyClock();
    const transport = signingTransport(
      inner,
      async (renew) => {
        asked.push(renew);
        clock.advance(1000);
        return key;
      },
      clock,
    );
    expect((await transport.send(request('POST'), signal)).status).toBe(200);
    expect(asked).toEqual([false, true]);
    expect(new Set(sent).size).toBe(2);
  });
});

test('a session token that has ended is told before anything is sent', async () => {
  const claims = Buffer.from(JSON.stringify({ exp: 1_000 })).toString('base64url');
  expect(tokenEnd(`a.${claims}.c`)).toBe(1_000_000);
  expect(tokenEnd('no token')).toBeUndefined();
  const oci = openOci({ ...usual, session_token: `a.${claims}.c`, service_url: 'http://127.0.0.1:9' });
  await expect(oci.signIn(signal)).rejects.toMatchObject({ code: 'cloud.authentication-failed' });
  oci.close();
});
