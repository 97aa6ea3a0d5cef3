// needs: openssl
import { execFileSync } from 'node:child_process';
import { createPublicKey, randomUUID, verify, X509Certificate, type KeyObject } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { retryContext } from '../../../cloud-resources/retry-context.ts';
import type { Transport, TransportAnswer, TransportRequest } from '../../../http/transport.ts';
import { createHastyClock } from '../../../time/testing/hasty-clock.ts';
import { parseConnection } from './connection.ts';
import { signingTransport } from './request-signature.ts';
import { identityOf } from './sign-in.ts';

/** An instance that signs in as itself: its metadata and the federation service by the platform's documentation, the certificate by OpenSSL. */
const tenancy = 'ocid1.tenancy.oc1..lab';
const metadata = 'http://metadata.example';
const lifeMs = 20 * 60_000;
const signal = new AbortController().signal;
const connection = parseConnection({ region: 'eu-frankfurt-1', sign_in: 'instance_principal' });

let cert: string;
let key: string;
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-principal-'));
  const [certPath, keyPath] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const subject = `/OU=opc-certtype:instance/OU=opc-compartment:ocid1.compartment.oc1..c/OU=opc-tenant:${tenancy}/CN=ocid1.instance.oc1..i`;
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-subj',
      subject,
      '-keyout',
      keyPath,
      '-out',
      certPath,
    ],
    { stdio: 'ignore' },
  );
  [cert, key] = [readFileSync(certPath, 'utf8'), readFileSync(keyPath, 'utf8')];
  rmSync(folder, { recursive: true });
});
/** Addresses and bodies of requests, in order. */
let seen: string[];
/** The length of the last body to an address: the header comes with the sending. */
let lengths: Map<string, number>;
beforeEach(() => {
  seen = [];
  lengths = new Map();
});
afterEach(() => expect(seen.join()).not.toContain('PRIVATE'));

/** The id of the key that a request is signed with, if it is. */
function signedBy(publicKey: KeyObject, { url, method, headers }: TransportRequest): string | undefined {
  const read = (name: string): string =>
    Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1] ?? '';
  const [, keyId = '', names = '', signature = ''] =
    /keyId="([^"]+)".*headers="([^"]+)",signature="([^"]+)"/.exec(read('authorization')) ?? [];
  const own: Readonly<Record<string, string>> = {
    '(request-target)': `${method.toLowerCase()} ${url.pathname}${url.search}`,
    'content-length': String(lengths.get(url.href)),
  };
  const text = names
    .split(' ')
    .map((name) => `${name}: ${own[name] ?? read(name)}`)
    .join('\n');
  return verify('RSA-SHA256', Buffer.from(text), publicKey, Buffer.from(signature, 'base64')) ? keyId : undefined;
}

function platform() {
  const clock = createHastyClock();
  const sessions = new Map<string, KeyObject>();
  const answer = (status: number, body: unknown): TransportAnswer => ({
    status,
    headers: new Headers({ 'content-type': 'application/json' }),
    bytes: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  });
  const transport: Transport = {
    async send(request) {
      const { url, headers } = request;
      const sent = request.bytes === undefined ? (request.body ?? '') : Buffer.from(request.bytes).toString();
      lengths.set(url.href, Buffer.byteLength(sent));
      seen.push(`${url.href} ${sent}`);
      if (url.origin === metadata) {
        if (headers['authorization'] !== 'Bearer Oracle') return answer(403, 'forbidden');
        const found = { 'cert.pem': cert, 'key.pem': key, 'intermediate.pem': cert }[
          url.pathname.replace('/opc/v2/identity/', '')
        ];
        return found === undefined ? answer(404, '') : answer(200, found);
      }
      if (url.href === 'https://auth.eu-frankfurt-1.oraclecloud.com/v1/x509') {
        const own = new X509Certificate(cert);
        if (signedBy(own.publicKey, request) !== `${tenancy}/fed-x509-sha256/${own.fingerprint256}`)
          return answer(401, { code: 'NotAuthenticated', message: 'signature' });
        const body = JSON.parse(sent) as {
          readonly certificate: string;
          readonly publicKey: string;
          readonly intermediateCertificates: readonly string[];
        };
        if (body.certificate !== own.raw.toString('base64') || body.intermediateCertificates[0] !== body.certificate)
          return answer(400, { code: 'InvalidParameter', message: 'certificate' });
        const claims = Buffer.from(
          JSON.stringify({ exp: (clock.wallTime() + lifeMs) / 1000, jti: randomUUID() }),
        ).toString('base64url');
        sessions.set(
          `ST$h.${claims}.s`,
          createPublicKey({ key: Buffer.from(body.publicKey, 'base64'), format: 'der', type: 'spki' }),
        );
        return answer(200, { token: `h.${claims}.s` });
      }
      for (const [token, publicKey] of sessions)
        if (signedBy(publicKey, request) === token) return answer(200, { session: token });
      return answer(401, { code: 'NotAuthenticated', message: 'no such session' });
    },
    close: () => undefined,
  };
  const identity = identityOf(connection, transport, retryContext({ clock }), metadata);
  const signed = signingTransport(transport, identity.keys, clock);
  const ask = () =>
    signed.send(
      {
        url: new URL('https://iaas.eu-frankfurt-1.oraclecloud.com/20160918/instances?limit=1'),
        method: 'GET',
        headers: {},
        body: undefined,
      },
      signal,
    );
  const signIns = () => seen.filter((each) => each.includes('/v1/x509')).length;
  return { clock, transport, identity, sessions, ask, signIns };
}

test('an instance signs in by its certificate, and with a key of its own from then on', async () => {
  const { identity, ask, signIns } = platform();
  expect(await identity.tenancy(signal)).toBe(tenancy);
  expect((await ask()).status).toBe(200);
  expect((await ask()).status).toBe(200);
  expect(signIns()).toBe(1);
});

test('the session is made anew before it ends, and when the platform no longer knows it', async () => {
  const { clock, sessions, ask, signIns } = platform();
  await Promise.all([ask(), ask()]);
  clock.advance(lifeMs - 60_000);
  expect((await ask()).status).toBe(200);
  expect(signIns()).toBe(2);
  sessions.clear();
  expect((await ask()).status).toBe(200);
  expect(signIns()).toBe(3);
});

test('what is no instance of the platform is told so', async () => {
  const { identity, transport } = platform();
  const elsewhere = identityOf(
    connection,
    { ...transport, send: async () => ({ status: 404, headers: new Headers(), bytes: Buffer.alloc(0) }) },
    retryContext({ clock: createHastyClock() }),
    metadata,
  );
  await expect(elsewhere.tenancy(signal)).rejects.toMatchObject({
    code: 'cloud.authentication-failed',
    message: expect.stringContaining('cert.pem of this instance: HTTP 404') as string,
  });
  const unreachable = identityOf(
    connection,
    { ...transport, send: () => Promise.reject(Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' })) },
    retryContext({ clock: createHastyClock() }),
    metadata,
  );
  await expect(unreachable.keys(false, signal)).rejects.toMatchObject({
    message: expect.stringContaining('of this instance') as string,
  });
  expect(await identity.tenancy(signal)).toBe(tenancy);
});
