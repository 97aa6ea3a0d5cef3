import { describe, expect, test } from 'vitest';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { createHastyClock } from '../../../time/testing/hasty-clock.ts';
import { defaultTiming } from '../../../cloud-resources/retry-context.ts';
import type { Transport, TransportRequest } from '../../../http/transport.ts';
import { parseConnection } from './connection.ts';
import { DiskAccess } from './disk-access.ts';
import { withFreshTokens } from './fresh-tokens.ts';
import type { AzureCloud } from './open-azure.ts';
import { parseResourceId, resourceId, sameId } from './resource-id.ts';
import { sdkError } from './sdk-error.ts';
import { createSdkHttp, type SdkHttp } from './sdk-http.ts';

const principal = {
  subscription_id: 's',
  tenant: 't',
  service_principal_credentials: { client_id: 'c', client_secret: 'x' },
};
const signal = new AbortController().signal;

describe('a connection', () => {
  test('leads to the public cloud unless it says otherwise', () => {
    expect(parseConnection(principal)).toMatchObject({
      signIn: 'client_secret',
      isCustomCloud: false,
      profile: { resourceManager: 'https://management.azure.com', storageSuffix: 'core.windows.net' },
    });
    expect(parseConnection({ ...principal, cloud_profile: 'Azure US Government' }).profile.activeDirectory).toBe(
      'https://login.microsoftonline.us',
    );
    expect(parseConnection({ ...principal, cloud_profile: 'AzureChinaCloud' }).profile.audience).toBe(
      'https://management.chinacloudapi.cn',
    );
  });

  test('to a custom cloud needs its addresses', () => {
    expect(() => parseConnection({ ...principal, cloud_profile: 'Own' })).toThrow('cloud_profile');
    expect(() =>
      parseConnection({
        ...principal,
        cloud_profile: 'Own',
        custom_cloud_properties: { resource_manager: 'https://r/' },
      }),
    ).toThrow('active_directory');
    const given = { resource_manager: 'https://r/', active_directory: 'https://a', storage_suffix: 'blobs' };
    expect(parseConnection({ ...principal, cloud_profile: 'Own', custom_cloud_properties: given })).toMatchObject({
      isCustomCloud: true,
      profile: { resourceManager: 'https://r', audience: 'https://r' },
    });
  });

  test('names what is missing for its way of signing in, and no value', () => {
    expect(() =>
      parseConnection({ subscription_id: 's', service_principal_credentials: { client_secret: 'very secret' } }),
    ).toThrow(/tenant, service_principal_credentials.client_id$/);
    expect(() => parseConnection({ ...principal, sign_in: 'client_certificate' })).toThrow('client_certificate');
    expect(parseConnection({ subscription_id: 's', sign_in: 'cli' }).signIn).toBe('cli');
    const { client_id } = principal.service_principal_credentials;
    expect(
      parseConnection({ ...principal, service_principal_credentials: { client_id, client_certificate: 'pem' } }).signIn,
    ).toBe('client_certificate');
  });
});

test('an id of a resource is read whatever its case', () => {
  const id = resourceId('s', 'Web', 'Microsoft.Network/virtualNetworks/subnets', 'net', 'default');
  expect(id).toBe(
    '/subscriptions/s/resourceGroups/Web/providers/Microsoft.Network/virtualNetworks/net/subnets/default',
  );
  expect(parseResourceId(id.replace('resourceGroups', 'resourcegroups'))).toEqual({
    subscription: 's',
    group: 'Web',
    type: 'microsoft.network/virtualnetworks/subnets',
    names: ['net', 'default'],
    name: 'default',
  });
  expect(sameId(id, id.toUpperCase())).toBe(true);
  expect(() => parseResourceId('/subscriptions/s/resourceGroups/g')).toThrow(CausewayError);
});

describe('an error of a library', () => {
  const restError = (statusCode: number, body: unknown) =>
    Object.assign(new Error('x'), {
      name: 'RestError',
      statusCode,
      response: {
        bodyAsText: typeof body === 'string' ? body : JSON.stringify(body),
        headers: new Headers({ 'x-ms-request-id': 'r-1' }),
      },
    });
  const codeOf = (status: number, code: string, message: string) =>
    (sdkError('do', restError(status, { error: { code, message } }), signal) as CausewayError).code;

  test('has our code, the evidence and the id of the request', () => {
    const error = sdkError(
      'get disk a',
      restError(403, { error: { code: 'AuthorizationFailed', message: 'no Microsoft.Compute/disks/read' } }),
      signal,
    ) as CausewayError;
    expect(error).toMatchObject({
      code: 'cloud.permission-denied',
      message: 'get disk a: HTTP 403: no Microsoft.Compute/disks/read',
      details: { status: 403, requestId: 'r-1', code: 'AuthorizationFailed' },
    });
    expect(
      sdkError(
        'read',
        restError(403, '<?xml?><Error><Code>AuthenticationFailed</Code><Message>expired</Message></Error>'),
        signal,
      ),
    ).toMatchObject({ details: { code: 'AuthenticationFailed' } });
  });

  test('is told apart by the code of the service', () => {
    expect(codeOf(409, 'OperationNotAllowed', 'exceeding approved Total Regional Cores quota')).toBe(
      'cloud.quota-exceeded',
    );
    expect(codeOf(400, 'NicInUse', 'x')).toBe('cloud.conflict');
    expect(codeOf(409, 'OperationNotAllowed', 'the disk is being attached')).toBe('cloud.conflict');
    expect(codeOf(429, 'TooManyRequests', 'limit exceeded')).toBe('cloud.rate-limited');
    expect(
      sdkError('make', new Error('The long-running operation has failed. SkuNotAvailable. no capacity in 1'), signal),
    ).toMatchObject({ code: 'cloud.operation-failed', details: { code: 'SkuNotAvailable' } });
  });

  test('of a lock is a refusal that does not pass', () => {
    expect(codeOf(409, 'ScopeLocked', 'cannot perform delete operation because following scope(s) are locked')).toBe(
      'cloud.permission-denied',
    );
  });

  test('never carries a signature', () => {
    const text = 'not at https://md.blob.example/a?sv=1&sr=b&sig=c2VjcmV0&se=2030';
    expect(
      (sdkError('read', restError(400, { error: { code: 'X', message: text } }), signal) as CausewayError).message,
    ).not.toContain('c2VjcmV0');
  });
});

describe('requests of a library', () => {
  function http(answers: readonly (number | Error)[]) {
    const sent: TransportRequest[] = [];
    const transport: Transport = {
      async send(request) {
        const answer = answers[sent.length] ?? 200;
        sent.push(request);
        if (answer instanceof Error) throw answer;
        return {
          status: answer,
          headers: new Headers(answer === 429 ? { 'retry-after': '7' } : {}),
          bytes: Buffer.from('{}'),
        };
      },
      close: () => undefined,
    };
    const clock = createHastyClock();
    const client = createSdkHttp(transport, {
      timing: { ...defaultTiming, backOff: { attempts: 3, firstMs: 1, capMs: 1 } },
      clock,
      random: () => 0,
    });
    const send = (method: string, path: string, url = 'https://localhost') =>
      client.sendRequest({
        url: `${url}${path}`,
        method,
        headers: { toJSON: () => ({}) },
        timeout: 0,
      } as unknown as Parameters<typeof client.sendRequest>[0]);
    return { sent, send };
  }
  const cut = Object.assign(new Error('cut'), { code: 'ECONNRESET' });

  test('are repeated when they passed without effect or can be', async () => {
    for (const [method, path, answers, times] of [
      ['PUT', '/disks/a', [503, cut, 200], 3],
      ['POST', '/snapshots/a/beginGetAccess', [500, 200], 2],
      ['POST', '/vms/a/attachDetachDataDisks', [500], 1],
      ['POST', '/vms/a/attachDetachDataDisks', [429, 200], 2],
      ['GET', '/disks/a', [500, 500, 500, 500], 3],
      ['GET', '/disks/a', [404], 1],
    ] as const) {
      const { sent, send } = http(answers);
      await send(method, path);
      expect([method, path, sent.length]).toEqual([method, path, times]);
    }
  });

  test('do not leave for an address without TLS', async () => {
    await expect(http([]).send('GET', '/', 'http://management.example')).rejects.toMatchObject({
      code: 'cloud.insecure-address',
    });
  });
});

describe('a token that is refused', () => {
  type Request = Parameters<SdkHttp['sendRequest']>[0];
  const request = (authorization?: string) =>
    ({
      url: 'https://localhost',
      method: 'POST',
      headers: { toJSON: () => (authorization === undefined ? {} : { authorization }) },
    }) as unknown as Request;

  /** A service that accepts some tokens, and a directory that gives others in their order. */
  function service(accepted: readonly string[], given: readonly string[]) {
    const seen: (string | undefined)[] = [];
    const renewals: string[] = [];
    const http = {
      async sendRequest({ headers }: Request) {
        const { authorization } = headers.toJSON();
        seen.push(authorization);
        return {
          status: authorization === undefined || accepted.includes(authorization.slice('Bearer '.length)) ? 200 : 401,
        };
      },
    } as unknown as SdkHttp;
    const fresh = withFreshTokens(http, async () => {
      const token = given[renewals.length];
      if (token === undefined) throw new Error('the secret is wrong');
      renewals.push(token);
      return token;
    });
    return { seen, renewals, fresh };
  }

  test('is renewed once for all requests, and also for those that come with it later', async () => {
    const { seen, renewals, fresh } = service(['b'], ['b']);
    const sent = request('Bearer a');
    const answers = await Promise.all([fresh.sendRequest(sent), fresh.sendRequest(request('Bearer a'))]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.request).toBe(sent);
    expect([seen, renewals]).toEqual([['Bearer a', 'Bearer a', 'Bearer b', 'Bearer b'], ['b']]);
    await fresh.sendRequest(request('Bearer a'));
    await fresh.sendRequest(request());
    expect(seen.slice(4)).toEqual(['Bearer b', undefined]);
  });

  test('is renewed again when its successor is refused as well', async () => {
    const { fresh } = service(['c'], ['b', 'c']);
    expect((await fresh.sendRequest(request('Bearer a'))).status).toBe(401);
    expect((await fresh.sendRequest(request('Bearer a'))).status).toBe(200);
  });

  test('leads to one refusal and no circle where signing in gives the same token, and to the reason where it fails', async () => {
    const { seen, fresh } = service([], ['a', 'b', 'a']);
    for (let time = 0; time < 3; time += 1) expect((await fresh.sendRequest(request('Bearer a'))).status).toBe(401);
    expect(seen.at(-1)).toBe('Bearer a');
    await expect(service([], []).fresh.sendRequest(request('Bearer a'))).rejects.toThrow('secret');
  });
});

test('an address that is still being granted is revoked once it is there, not before', async () => {
  const done: string[] = [];
  const { promise: answer, resolve } = Promise.withResolvers<object>();
  const cloud = {
    compute: async () => ({}),
    finish: async (operation: string) => {
      const result = operation.startsWith('grant') ? await answer : undefined;
      done.push(operation);
      return result;
    },
  } as unknown as AzureCloud;
  const access = new DiskAccess(cloud, { kind: 'snapshot', group: 'g', name: 's' });
  const url = access.name(signal);
  const ended = access.end(signal);
  resolve({ accessSAS: 'https://localhost/' });
  await Promise.all([url, ended]);
  expect(done).toEqual(['grant access to snapshot s', 'revoke access to snapshot s']);
});
