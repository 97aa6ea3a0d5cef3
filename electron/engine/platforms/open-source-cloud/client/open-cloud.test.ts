import { afterEach, describe, expect, it } from 'vitest';
import { createHastyClock, type HastyClock } from '../../../time/testing/hasty-clock.ts';
import {
  startScriptedCloud,
  type ScriptedAnswer,
  type ScriptedCloud,
  type SeenRequest,
} from '../testing/scripted-cloud.ts';
import { openCloud, type OpenStackCloud } from './open-cloud.ts';

const signal = new AbortController().signal;
const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

interface Opened {
  readonly script: ScriptedCloud;
  readonly cloud: OpenStackCloud;
  readonly clock: HastyClock;
}

async function open(
  answer: (request: SeenRequest, number: number) => ScriptedAnswer | undefined,
  more: Readonly<Record<string, unknown>> = {},
  options: Parameters<typeof startScriptedCloud>[1] = {},
): Promise<Opened> {
  const clock = createHastyClock();
  const script = await startScriptedCloud(answer, { now: () => clock.wallTime(), ...options });
  const cloud = openCloud({ ...script.connection, ...more }, { clock, random: () => 0 });
  opened.push(() => {
    cloud.close();
    script.close();
  });
  return { script, cloud, clock };
}

const servers = (names: readonly string[], more: object = {}): ScriptedAnswer => ({
  body: { servers: names.map((name) => ({ id: name, name, status: 'ACTIVE' })), ...more },
});

describe('signing in', () => {
  it('is by user and password, with the scope of a project, at the version of the identity service', async () => {
    const { script, cloud } = await open(() => undefined, { user_domain_name: 'people' });
    expect(await cloud.identity(signal)).toMatchObject({ projectId: 'p1', roles: ['member'] });
    expect(script.requests[0]).toMatchObject({
      target: 'identity/v3/auth/tokens',
      body: {
        auth: {
          identity: {
            methods: ['password'],
            password: { user: { name: 'migration', domain: { name: 'people' }, password: 'pass word' } },
          },
          scope: { project: { name: 'production', domain: { name: 'Default' } } },
        },
      },
    });
  });

  it('is by an application credential, which has its scope', async () => {
    const { script, cloud } = await open(() => undefined, {
      username: '',
      password: undefined,
      application_credential_id: 'a1',
      application_credential_secret: 's3cret',
    });
    await cloud.identity(signal);
    expect(script.requests[0]?.body).toEqual({
      auth: {
        identity: { methods: ['application_credential'], application_credential: { id: 'a1', secret: 's3cret' } },
      },
    });
  });

  it('happens once for many calls at once, again before the token ends, and once more when it is refused', async () => {
    const refused = new Set(['token-2']);
    const { script, cloud, clock } = await open(({ headers }) =>
      refused.delete(String(headers['x-auth-token']))
        ? { status: 401, body: { error: { message: 'expired' } } }
        : servers(['a']),
    );
    await Promise.all([
      cloud.compute.servers.list({}, signal),
      cloud.compute.servers.list({}, signal),
      cloud.image.get('x', signal).catch(() => undefined),
    ]);
    expect(script.signIns()).toBe(1);
    clock.advance(3_600_000 - 60_000);
    expect(await cloud.compute.servers.list({}, signal)).toHaveLength(1);
    expect(script.signIns()).toBe(3);
    expect(script.requests.at(-1)?.headers['x-auth-token']).toBe('token-3');
  });

  it('does not go on for ever when every token is refused', async () => {
    const { script, cloud } = await open(() => ({
      status: 401,
      body: { error: { code: 401, message: 'The request you have made requires authentication.' } },
    }));
    await expect(cloud.compute.servers.list({}, signal)).rejects.toMatchObject({ code: 'cloud.authentication-failed' });
    expect(script.signIns()).toBe(2);
  });

  it('says what was refused and never with what', async () => {
    const { cloud } = await open(
      () => undefined,
      {},
      {
        signIn: () => ({
          status: 401,
          body: { error: { code: 401, message: 'Invalid user / password', title: 'Unauthorized' } },
        }),
      },
    );
    const failure = await cloud.identity(signal).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'cloud.authentication-failed',
      message: 'sign in as migration to project production: HTTP 401: Invalid user / password',
    });
    expect(JSON.stringify((failure as { toRecord(): unknown }).toRecord())).not.toContain('pass word');
  });

  it.each([
    [{ password: undefined }, 'password'],
    [{ username: '', project_name: '' }, 'username, project_name'],
    [{ application_credential_id: 'a1' }, 'one is missing'],
    [{ identity_api_version: 2 }, 'identity_api_version 2'],
  ])('needs all of it: %j', async (more, message) => {
    await expect(open(() => undefined, more)).rejects.toThrow(message);
  });
});

describe('a service', () => {
  const twoRegions = (url: string): unknown => [
    {
      type: 'compute',
      endpoints: [
        { interface: 'public', region_id: 'one', url: `${url}/compute/v2.1` },
        { interface: 'internal', region_id: 'one', url: `${url}/inside/v2.1/` },
        { interface: 'public', region_id: 'two', url: `${url}/two/v2.1` },
      ],
    },
    { type: 'block-storage', endpoints: [{ interface: 'public', region_id: 'one', url: `${url}/volume/v3/p1` }] },
    { type: 'network', endpoints: [{ interface: 'public', region_id: 'one', url: `${url}/network/` }] },
  ];

  it.each([
    [{ region_name: 'one' }, '/compute/v2.1'],
    [{ region_name: 'one', interface_names: { compute: 'internal' } }, '/inside/v2.1'],
    [{ region_name: 'one', region_names: { compute: 'two' } }, '/two/v2.1'],
    [{ region_name: 'one', interface_name: 'publicURL' }, '/compute/v2.1'],
  ])('is found by region and interface: %j', async (more, path) => {
    const { script, cloud } = await open(() => undefined, more, { catalog: twoRegions });
    expect(await cloud.url('compute', signal)).toBe(`${script.url}${path}`);
    expect(await cloud.url('network', signal)).toBe(`${script.url}/network/v2.0`);
    expect(await cloud.url('volume', signal)).toBe(`${script.url}/volume/v3/p1`);
  });

  it.each([
    [{}, 'compute', /several regions \(one, two\)/],
    [{ region_name: 'three' }, 'compute', /no public interface in region three \(it has public in one/],
    [{ region_name: 'one' }, 'image', /lists no image service \(it has compute, block-storage, network\)/],
  ] as const)('that is not there is named: %j %s', async (more, kind, message) => {
    const { cloud } = await open(() => undefined, more, { catalog: twoRegions });
    await expect(cloud.url(kind, signal)).rejects.toMatchObject({
      code: 'cloud.service-missing',
      message: expect.stringMatching(message) as unknown,
    });
  });

  it('is told which version of its interface is spoken', async () => {
    const { script, cloud } = await open(({ target }) =>
      target.startsWith('compute') ? servers([]) : { body: { volumes: [] } },
    );
    await cloud.compute.servers.list({}, signal);
    await cloud.volume.volumes.list({ metadata: { a: 'b' } }, signal);
    expect(script.requests.slice(1).map(({ target, headers }) => [target, headers['openstack-api-version']])).toEqual([
      ['compute/servers/detail', 'compute 2.72'],
      ['volume/volumes/detail?metadata=%7B%22a%22%3A%22b%22%7D', 'volume 3.59'],
    ]);
  });

  it('that is busy is asked again, as late as it says', async () => {
    const { cloud, clock } = await open((_request, number) =>
      number < 4 ? { status: [503, 429][number % 2] ?? 502, headers: { 'retry-after': '7' } } : servers(['a']),
    );
    expect(await cloud.compute.servers.list({}, signal)).toHaveLength(1);
    expect(clock.sleeps).toEqual([7_000, 7_000]);
  });

  it.each([
    [
      'compute',
      {
        status: 403,
        body: {
          forbidden: { code: 403, message: 'Quota exceeded for cores: Requested 2, but already used 9 of 10 cores' },
        },
      },
    ],
    [
      'compute',
      {
        status: 413,
        body: {
          overLimit: { code: 413, message: 'VolumeLimitExceeded: Maximum number of volumes allowed (10) exceeded' },
        },
      },
    ],
    [
      'compute',
      {
        status: 409,
        body: { NeutronError: { type: 'OverQuota', message: "Quota exceeded for resources: ['port'].", detail: '' } },
      },
    ],
  ])('%s that has no room left says so: %j', async (_service, answer) => {
    const { cloud } = await open(() => answer);
    await expect(
      cloud.compute.servers.create({ name: 'a', flavorRef: 'f', networks: 'none' }, {}, signal),
    ).rejects.toMatchObject({ code: 'cloud.quota-exceeded' });
  });
});

describe('a list', () => {
  it('is followed over its pages, by their queries alone', async () => {
    const pages: Readonly<Record<string, ScriptedAnswer>> = {
      'compute/servers/detail': servers(['a', 'b'], {
        servers_links: [{ rel: 'next', href: 'http://elsewhere.example/servers/detail?limit=2&marker=b' }],
      }),
      'compute/servers/detail?limit=2&marker=b': servers(['c'], {
        servers_links: [{ rel: 'next', href: 'http://elsewhere.example/servers/detail?marker=c' }],
      }),
      'compute/servers/detail?marker=c': servers([], { servers_links: [{ rel: 'next', href: '?marker=c' }] }),
      'image/images?limit=200': {
        body: { images: [{ id: 'i', status: 'active' }], next: '/v2/images?marker=i&limit=200' },
      },
      'image/images?marker=i&limit=200': { body: { images: [{ id: 'j', status: 'active' }] } },
    };
    const { script, cloud } = await open(({ target }) => pages[target]);
    expect((await cloud.compute.servers.list({}, signal)).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect((await cloud.image.list({}, signal)).map(({ id }) => id)).toEqual(['i', 'j']);
    expect(script.calls()).toHaveLength(5);
  });

  it('of objects starts again after the last name of a full page', async () => {
    const names = Array.from({ length: 10_001 }, (_, index) => ({
      name: `o-${String(index).padStart(6, '0')}`,
      bytes: 1,
    }));
    const { script, cloud } = await open(({ target }) => ({
      body: target.includes('marker=o-009999') ? names.slice(10_000) : names.slice(0, 10_000),
    }));
    expect(await cloud.objectStore.objects('backups', 'o-', signal)).toHaveLength(10_001);
    expect(script.calls().at(-1)).toBe('GET objectstore/backups?format=json&limit=10000&prefix=o-&marker=o-009999');
  });

  it('names a server exactly, though the service takes patterns', async () => {
    const { script, cloud } = await open(() => servers([]));
    await cloud.compute.servers.list({ name: 'web.1' }, signal);
    expect(new URL(`http://x/${script.calls()[0]?.split(' ')[1]}`).searchParams.get('name')).toBe(String.raw`^web\.1$`);
  });
});

describe('an object', () => {
  const content = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  const ranged = ({ headers }: SeenRequest): ScriptedAnswer => {
    const [, from = 0, to = 0] = /bytes=(\d+)-(\d+)/.exec(headers.range ?? '')?.map(Number) ?? [];
    return {
      status: 206,
      headers: { 'content-type': 'application/octet-stream' },
      body: content.subarray(from, to + 1),
    };
  };

  it('is read in parts, byte for byte', async () => {
    const { cloud, script } = await open(ranged);
    expect(await cloud.objectStore.readRange('backups', 'volume 1/a+b', 100, 50, signal)).toEqual(
      content.subarray(100, 150),
    );
    expect(script.calls()).toEqual(['GET objectstore/backups/volume%201/a%2Bb']);
  });

  it('is cut from the whole where the server knows no ranges', async () => {
    const { cloud } = await open(() => ({ body: content }));
    expect(Buffer.from(await cloud.objectStore.readRange('b', 'o', 3, 4, signal))).toEqual(content.subarray(3, 7));
  });

  it('that is too short is an error, one that is not there is none', async () => {
    const { cloud } = await open((request) => (request.target.endsWith('/gone') ? undefined : ranged(request)));
    await expect(cloud.objectStore.readRange('b', 'o', 250, 10, signal)).rejects.toMatchObject({
      code: 'cloud.unexpected-answer',
    });
    expect(await cloud.objectStore.read('b', 'gone', signal)).toBeUndefined();
  });
});
