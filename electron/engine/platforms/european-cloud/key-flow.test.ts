import { createVerify, generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttpClient } from '../../http/http-client.ts';
import { createHastyClock } from '../../time/testing/hasty-clock.ts';
import { createKeyFlow, signAssertion } from './key-flow.ts';
import { readServiceAccountKey } from './service-account-key.ts';

const pair = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const credentials = { kid: 'key-1', iss: 'lab@sa.example', sub: 'account', aud: 'https://tokens.example' };
const keyJson = JSON.stringify({
  id: 'key-1',
  active: true,
  credentials: { ...credentials, privateKey: pair.privateKey },
});
const signal = new AbortController().signal;
const backOff = { attempts: 3, firstMs: 1, capMs: 1 };

describe('reading a service account key', () => {
  it.each([
    ['the JSON itself', keyJson, undefined],
    ['its base64', Buffer.from(keyJson).toString('base64'), undefined],
    ['JSON without a private key, and the key beside it', JSON.stringify({ credentials }), pair.privateKey],
    ['a PEM whose line ends were escaped', JSON.stringify({ credentials }), pair.privateKey.replaceAll('\n', '\\n')],
  ])('takes %s', (_what, text, separate) => {
    expect(readServiceAccountKey(text, separate)).toMatchObject({
      kid: 'key-1',
      issuer: 'lab@sa.example',
      audience: 'https://tokens.example',
    });
  });

  it.each([
    ['no JSON at all', 'hello', undefined],
    ['JSON of something else', '{"a":1}', undefined],
    ['no private key anywhere', JSON.stringify({ credentials }), undefined],
    [
      'a damaged private key',
      JSON.stringify({ credentials }),
      '-----BEGIN PRIVATE KEY-----\nMIIsecretsecret\n-----END PRIVATE KEY-----',
    ],
  ])('refuses %s, without repeating it', (_what, text, separate) => {
    let failure: unknown;
    try {
      readServiceAccountKey(text, separate);
    } catch (error) {
      failure = error;
    }
    expect(failure).toMatchObject({ code: 'cloud.key-unreadable' });
    expect(JSON.stringify(failure)).not.toContain('secretsecret');
  });

  it('refuses a key that is not RSA', () => {
    const ed = generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    expect(() => readServiceAccountKey(JSON.stringify({ credentials }), ed.privateKey)).toThrow(/ed25519/);
  });
});

describe('the assertion', () => {
  it('is a JWT signed with RS512, for one hour', () => {
    const [head = '', claims = '', signature = ''] = signAssertion(
      readServiceAccountKey(keyJson, undefined),
      1_700_000_000_500,
    ).split('.');
    const decode = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(decode(head)).toEqual({ alg: 'RS512', typ: 'JWT', kid: 'key-1' });
    expect(decode(claims)).toMatchObject({
      iss: 'lab@sa.example',
      sub: 'account',
      aud: 'https://tokens.example',
      iat: 1_700_000_000,
      exp: 1_700_003_600,
    });
    expect(createVerify('RSA-SHA512').update(`${head}.${claims}`).verify(pair.publicKey, signature, 'base64url')).toBe(
      true,
    );
  });
});

describe('access tokens', () => {
  let server: Server;
  let url: string;
  let assertions: string[];
  let answers: (number | 'token')[];
  beforeEach(async () => {
    assertions = [];
    answers = [];
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.once('end', () => {
        assertions.push(new URLSearchParams(body).get('assertion') ?? '');
        const answer = answers.shift() ?? 'token';
        if (answer === 'token')
          response.writeHead(200).end(JSON.stringify({ access_token: `token-${assertions.length}`, expires_in: 3600 }));
        else response.writeHead(answer).end(JSON.stringify({ code: answer, msg: 'Key with kid key-1 was not found' }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  function flow(startWallTime = Date.now()) {
    const clock = createHastyClock(startWallTime);
    const client = createHttpClient({ baseUrl: url, clock, backOff });
    return {
      clock,
      authorize: createKeyFlow({
        key: () => readServiceAccountKey(keyJson, undefined),
        client,
        clock,
        backOff,
        random: () => 0,
      }),
    };
  }

  it('are fetched once for many requests at a time, and kept', async () => {
    const { authorize } = flow();
    const given = await Promise.all([authorize(false, signal), authorize(false, signal), authorize(false, signal)]);
    expect(given).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-1']);
    expect(await authorize(false, signal)).toBe('Bearer token-1');
  });

  it.each([3_600_000, -3_600_000])(
    "are had although this computer's clock is wrong by %d ms: the assertion is valid by the server's",
    async (aheadMs) => {
      answers = [400, 'token'];
      const { authorize } = flow(Date.now() + aheadMs);
      expect(await authorize(false, signal)).toBe('Bearer token-2');
      const [, claims = ''] = assertions[1]?.split('.') ?? [];
      const { iat } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iat: number };
      expect(Math.abs(iat - Date.now() / 1000)).toBeLessThan(60);
    },
  );

  it('are renewed before they end, and when the server does not take them any more', async () => {
    const { authorize, clock } = flow();
    await authorize(false, signal);
    clock.advance(3_400_000);
    expect(await authorize(false, signal)).toBe('Bearer token-1');
    clock.advance(100_000);
    expect(await authorize(false, signal)).toBe('Bearer token-2');
    expect(await authorize(true, signal)).toBe('Bearer token-3');
  });

  it('are asked for again after a passing failure, with a fresh assertion each time', async () => {
    answers = [502, 503, 'token'];
    expect(await flow().authorize(false, signal)).toBe('Bearer token-3');
    expect(new Set(assertions).size).toBe(3);
  });

  it('are not asked for again when the key is unknown, and the error tells so without the assertion', async () => {
    answers = [400];
    const failure = await flow()
      .authorize(false, signal)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'cloud.authentication-failed',
      details: { msg: 'Key with kid key-1 was not found' },
    });
    expect(assertions).toHaveLength(1);
    expect(JSON.stringify(failure)).not.toContain(assertions[0]);
  });

  it('one that gives up waiting does not take the others along', async () => {
    const { authorize } = flow();
    const cancel = new AbortController();
    const impatient = authorize(false, cancel.signal);
    const patient = authorize(false, signal);
    cancel.abort(new Error('enough'));
    await expect(impatient).rejects.toThrow('enough');
    expect(await patient).toBe('Bearer token-1');
  });
});
