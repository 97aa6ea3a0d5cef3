import { describe, expect, test } from 'vitest';
import { createHastyClock } from '../../../time/testing/hasty-clock.ts';
import type { Transport, TransportRequest } from '../../../http/transport.ts';
import { createHttpClient } from '../../../http/http-client.ts';
import { workerAttributes } from '../cloud/worker-script.ts';
import { computeApi } from './compute-api.ts';
import { parseConnection } from './connection.ts';
import { bytesOf, deviceOfIndex, labelsOf, namePath, tagsOf } from './object-names.ts';
import { cookieSession, mediaType } from './sign-in.ts';

const usual = {
  identity_domain: 'acme',
  username: 'me@example.com',
  password: 'very secret',
  api_endpoint: 'https://compute.example/',
};
const signal = new AbortController().signal;

describe('a connection', () => {
  test('names the account and the user as the platform does, however they were pasted', () => {
    expect(parseConnection(usual)).toMatchObject({
      account: '/Compute-acme',
      user: '/Compute-acme/me@example.com',
      apiUrl: 'https://compute.example',
    });
    expect(
      parseConnection({ ...usual, identity_domain: 'Compute-acme', username: '/Compute-acme/me@example.com' }).user,
    ).toBe('/Compute-acme/me@example.com');
  });

  test('names what is missing or wrong, and no value', () => {
    expect(() => parseConnection({ password: 'very secret' })).toThrow(
      /missing or invalid: identity_domain, username, api_endpoint$/,
    );
    expect(() => parseConnection({ ...usual, identity_domain: 'a/b' })).toThrow(/identity_domain$/);
  });
});

describe('names and sizes', () => {
  test('names are paths, with the sign of an address as it is', () => {
    expect(namePath('/Compute-acme/me@example.com/a b')).toBe('/Compute-acme/me@example.com/a%20b');
  });

  test('labels are tags and back, among tags of others', () => {
    expect(labelsOf(['web', ...tagsOf({ a: 'b=c' })])).toEqual({ a: 'b=c' });
  });

  test.each([
    ['10737418240', 10 * 2 ** 30],
    ['10G', 10 * 2 ** 30],
    ['2T', 2 ** 41],
    [512, 512],
  ])('%s', (text, bytes) => {
    expect(bytesOf(text)).toBe(bytes);
  });

  test('what is no size is not taken for one', () => {
    expect(() => bytesOf('a lot')).toThrow('no size');
  });

  test('index 1 is the second disk', () => {
    expect([deviceOfIndex(1), deviceOfIndex(2), deviceOfIndex(10)]).toEqual(['xvdb', 'xvdc', 'xvdk']);
  });
});

function transportOf(
  answer: (request: TransportRequest) => { readonly status: number; readonly cookie?: string; readonly body?: object },
): Transport & { readonly sent: TransportRequest[] } {
  const sent: TransportRequest[] = [];
  return {
    sent,
    async send(request) {
      sent.push(request);
      const { status, cookie, body } = answer(request);
      return {
        status,
        headers: new Headers(cookie === undefined ? {} : { 'set-cookie': cookie }),
        bytes: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
      };
    },
    close: () => undefined,
  };
}

describe('a session', () => {
  test('is made anew after 25 minutes, and each request carries all of its cookies', async () => {
    let made = 0;
    const transport = transportOf(({ url }) =>
      url.pathname === '/authenticate/'
        ? { status: 204, cookie: `nimbula=${++made}; Path=/; Expires=Thu, 01 Jan 2099 00:00:00 GMT, lb=x; Path=/` }
        : { status: 200, body: { result: [] } },
    );
    const clock = createHastyClock();
    const connection = parseConnection(usual);
    const session = cookieSession(connection, { transport, clock }, clock);
    const client = createHttpClient({
      baseUrl: connection.apiUrl,
      transport,
      clock,
      authorize: session.authorize,
      authorizationHeader: 'cookie',
    });
    const ask = () => client.request({ operation: 'list', method: 'GET', path: '/x/' }, signal);
    await ask();
    clock.advance(24 * 60_000);
    await ask();
    clock.advance(2 * 60_000);
    await ask();
    expect(transport.sent.filter(({ url }) => url.pathname === '/x/').map(({ headers }) => headers['cookie'])).toEqual([
      'nimbula=1; lb=x',
      'nimbula=1; lb=x',
      'nimbula=2; lb=x',
    ]);
    expect(JSON.parse(transport.sent[0]?.body ?? '')).toEqual({
      user: '/Compute-acme/me@example.com',
      password: 'very secret',
    });
  });

  test('that the answer has no cookie for is an error', async () => {
    const clock = createHastyClock();
    const session = cookieSession(
      parseConnection(usual),
      { transport: transportOf(() => ({ status: 204 })), clock },
      clock,
    );
    await expect(session.authorize(false, signal)).rejects.toMatchObject({ code: 'cloud.unexpected-answer' });
  });
});

describe('the interface', () => {
  const refusedWith = (status: number, message: string) => {
    const transport = transportOf(() => ({ status, body: { message } }));
    const api = computeApi(
      createHttpClient({ baseUrl: 'https://compute.example', transport, clock: createHastyClock() }),
    );
    return { transport, asked: api.send({ operation: 'create x', method: 'POST', path: '/x/', json: {} }, signal) };
  };

  test('speaks one media type', async () => {
    const { transport, asked } = refusedWith(200, '');
    await asked;
    expect(transport.sent[0]?.headers).toMatchObject({ accept: mediaType, 'content-type': mediaType });
  });

  test.each([
    [400, 'Storage quota exceeded', 'cloud.quota-exceeded'],
    [400, 'The volume is attached to an instance', 'cloud.conflict'],
    [409, 'already exists', 'cloud.conflict'],
    [400, 'size is required', 'cloud.request-refused'],
    [403, 'Forbidden', 'cloud.permission-denied'],
    [403, 'Insufficient privileges', 'cloud.permission-denied'],
    [401, 'Unauthorized', 'cloud.authentication-failed'],
  ])('tells refusals apart: %i %s', async (status, message, code) => {
    await expect(refusedWith(status, message).asked).rejects.toMatchObject({ code });
  });
});

test('a worker is prepared by lines of a script, and by no name that a shell would take for more', () => {
  const config = {
    users: [{ ssh_authorized_keys: ['ssh-ed25519 AAAA causeway'] }],
    ssh_keys: { ed25519_private: 'PRIVATE', ed25519_public: 'ssh-ed25519 BBBB' },
    write_files: [{ path: '/etc/udev/rules.d/69-lvm.rules', content: '#\n' }],
  };
  const userData = Buffer.from(`#cloud-config\n${JSON.stringify(config)}\n`).toString('base64');
  const { userdata } = workerAttributes(userData, 'opc') as {
    readonly userdata: {
      readonly 'pre-bootstrap': { readonly failonerror: boolean; readonly script: readonly string[] };
    };
  };
  const { script } = userdata['pre-bootstrap'];
  expect(script).toContain(`put 0600 "/etc/ssh/ssh_host_ed25519_key" ${Buffer.from('PRIVATE').toString('base64')}`);
  expect(script.filter((line) => line.startsWith('put ')).map((line) => line.split(' ')[2])).toEqual([
    '"/etc/sudoers.d/90-causeway"',
    '"$home/.ssh/authorized_keys"',
    '"/etc/ssh/ssh_host_ed25519_key"',
    '"/etc/ssh/ssh_host_ed25519_key.pub"',
    '"/etc/udev/rules.d/69-lvm.rules"',
  ]);
  expect(() => workerAttributes(userData, 'opc; reboot')).toThrow('no name of an account');
});
