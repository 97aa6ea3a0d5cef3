import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultTiming } from '../../../cloud-resources/retry-context.ts';
import type { Transport, TransportRequest } from '../../../http/transport.ts';
import { createHastyClock } from '../../../time/testing/hasty-clock.ts';
import { parseConnection } from './connection.ts';
import { createSdkHttp } from './sdk-http.ts';
import { credentialOf } from './sign-in.ts';

const scope = 'https://management.azure.com/.default';

/** The requests of a way of signing in, and what is answered to each. */
function requests(answer: (request: TransportRequest) => readonly [status: number, body: object]) {
  const sent: TransportRequest[] = [];
  const transport: Transport = {
    async send(request) {
      sent.push(request);
      const [status, body] = answer(request);
      return {
        status,
        headers: new Headers({ 'content-type': 'application/json' }),
        bytes: Buffer.from(JSON.stringify(body)),
      };
    },
    close: () => undefined,
  };
  return {
    sent,
    http: createSdkHttp(transport, {
      timing: { ...defaultTiming, backOff: { attempts: 2, firstMs: 1, capMs: 1 } },
      clock: createHastyClock(),
      random: () => 0,
    }),
  };
}

describe('the identity of the VM that this runs on', () => {
  const token = {
    access_token: 'of-the-vm',
    expires_in: '3600',
    expires_on: '4102444800',
    resource: 'https://management.azure.com/',
    token_type: 'Bearer',
  };

  test.each([
    ['is asked for at the address of the platform alone', {}, null],
    [
      'is the one with the client ID, where the endpoint names one',
      { service_principal_credentials: { client_id: 'c-1' } },
      'c-1',
    ],
  ])('%s', async (_, more, clientId) => {
    const { sent, http } = requests(() => [200, token]);
    const credential = await credentialOf(
      parseConnection({ subscription_id: 's', sign_in: 'managed_identity', ...more }),
      http,
    );
    expect((await credential.getToken(scope))?.token).toBe('of-the-vm');
    const last = sent.at(-1);
    expect([last?.url.origin, last?.url.pathname]).toEqual([
      'http://169.254.169.254',
      '/metadata/identity/oauth2/token',
    ]);
    expect([last?.url.searchParams.get('resource'), last?.url.searchParams.get('client_id')]).toEqual([
      'https://management.azure.com',
      clientId,
    ]);
    expect(Object.entries(last?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])).toContainEqual([
      'metadata',
      'true',
    ]);
  });

  test("is asked for through the endpoint itself, also after another one of the same process, and not mistaken for that one's", async () => {
    const tokenOf = async (clientId: string) => {
      const { http } = requests(({ url }) => [
        200,
        { ...token, access_token: `of-${url.searchParams.get('client_id') ?? 'nobody'}` },
      ]);
      return (
        await (
          await credentialOf(
            parseConnection({
              subscription_id: 's',
              sign_in: 'managed_identity',
              service_principal_credentials: { client_id: clientId },
            }),
            http,
          )
        ).getToken(scope)
      )?.token;
    };
    expect([await tokenOf('c-2'), await tokenOf('c-3')]).toEqual(['of-c-2', 'of-c-3']);
  });

  test('is refused with what the platform says', async () => {
    const { http } = requests(({ url }) =>
      url.searchParams.has('resource')
        ? [400, { error: 'invalid_request', error_description: 'Identity not found' }]
        : [400, {}],
    );
    const credential = await credentialOf(parseConnection({ subscription_id: 's', sign_in: 'managed_identity' }), http);
    // The library keeps tokens: another one than above.
    await expect(credential.getToken('https://storage.azure.com/.default')).rejects.toThrow('Identity not found');
  });
});

describe.skipIf(process.platform === 'win32')("whoever is signed in to the vendor's command line", () => {
  const usualPath = process.env['PATH'];
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-azure-cli-'));
    process.env['PATH'] = `${folder}${delimiter}${usualPath ?? ''}`;
  });
  afterEach(async () => {
    process.env['PATH'] = usualPath;
    await rm(folder, { recursive: true, force: true });
  });
  const program = async (text: string): Promise<void> => {
    await writeFile(join(folder, 'az'), `#!/bin/sh\n${text}\n`);
    await chmod(join(folder, 'az'), 0o755);
  };
  const credential = () =>
    credentialOf(
      parseConnection({
        subscription_id: '1b4e28ba-2fa1-41d2-883f-0016d3cca427',
        sign_in: 'cli',
        tenant: 'example.onmicrosoft.com',
      }),
      requests(() => [500, {}]).http,
    );

  test('gives its token for the subscription and the tenant of the endpoint', async () => {
    await program(
      `echo "$@" > "${folder}/asked"; echo '{"accessToken":"of-the-person","expiresOn":"2099-01-01 00:00:00.000000","expires_on":4070908800,"tokenType":"Bearer"}'`,
    );
    expect((await (await credential()).getToken(scope))?.token).toBe('of-the-person');
    const asked = await readFile(join(folder, 'asked'), 'utf8');
    for (const part of [
      'account get-access-token',
      'https://management.azure.com',
      '1b4e28ba-2fa1-41d2-883f-0016d3cca427',
      'example.onmicrosoft.com',
    ])
      expect(asked).toContain(part);
  });

  test('has to sign in first', async () => {
    await program('echo "ERROR: Please run \'az login\' to setup account." >&2; exit 1');
    await expect((await credential()).getToken(scope)).rejects.toThrow('az login');
  });
});
