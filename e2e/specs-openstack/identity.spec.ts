import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  openCloud,
  spokenVersions,
  type OpenStackCloud,
} from '../../electron/engine/platforms/open-source-cloud/client/open-cloud.ts';
import { createOpenStackDestination } from '../../electron/engine/platforms/open-source-cloud/destination/openstack-destination.ts';
import { createOpenStackSource } from '../../electron/engine/platforms/open-source-cloud/source/index.ts';
import type { CheckReport, CheckStep } from '../../electron/engine/ports/platform-common.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import type { RigApi } from '../rigs/open-source-cloud/admin-api.ts';
import { rigPassword, startOpenSourceCloud, type OpenSourceCloud } from '../rigs/open-source-cloud/start.ts';
import { startTlsFront, type TlsFront } from '../rigs/open-source-cloud/tls-front.ts';

const never = new AbortController().signal;

let rig: OpenSourceCloud;
let admin: RigApi;
let folder: string;

beforeAll(async () => {
  rig = await startOpenSourceCloud();
  admin = await rig.api('admin');
  folder = await mkdtemp(join(tmpdir(), 'causeway-identity-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await rig?.close();
});

async function opened<T>(connection: JsonObject, work: (cloud: OpenStackCloud) => Promise<T>): Promise<T> {
  const cloud = openCloud(connection);
  try {
    return await work(cloud);
  } finally {
    cloud.close();
  }
}

/** What the destination's check says of a connection. */
async function check(connection: JsonObject): Promise<CheckReport> {
  const platform = createOpenStackDestination(connection);
  try {
    return await platform.check(never);
  } finally {
    await platform.close();
  }
}

async function checkAsSource(connection: JsonObject): Promise<CheckReport> {
  const platform = createOpenStackSource(connection, { scratchFolder: folder });
  try {
    return await platform.check(never);
  } finally {
    await platform.close();
  }
}

const target = (more: JsonObject = {}): JsonObject => ({ ...(rig.connection('target') as JsonObject), ...more });
const failed = ({ steps }: CheckReport): readonly CheckStep[] => steps.filter(({ outcome }) => outcome === 'failed');
const stepOf = ({ steps }: CheckReport, name: string): CheckStep | undefined =>
  steps.find((step) => step.name === name);

describe('an application credential', () => {
  let credential: { readonly id: string; readonly secret: string };
  let api: RigApi;
  let userId: string;
  const connection = (secret = credential.secret): JsonObject => {
    const { username: _, password: __, project_name: ___, ...rest } = target();
    return { ...rest, application_credential_id: credential.id, application_credential_secret: secret };
  };

  beforeAll(async () => {
    api = await rig.api('target');
    userId = await opened(target(), async (cloud) => (await cloud.identity(never)).userId);
    credential = (
      await api.call<{ application_credential: typeof credential }>(
        'identity',
        'POST',
        `/users/${userId}/application_credentials`,
        {
          application_credential: { name: `migration-${process.pid}`, roles: [{ name: 'member' }] },
        },
      )
    ).application_credential;
  });
  afterAll(() => api?.call('identity', 'DELETE', `/users/${userId}/application_credentials/${credential.id}`));

  it('opens the project that it was made in, and no other', async () => {
    await opened(connection(), async (cloud) => {
      const identity = await cloud.identity(never);
      expect(identity).toMatchObject({
        projectName: 'target',
        projectId: api.projectId,
        userName: 'target-user',
        roles: expect.arrayContaining(['member']) as unknown,
      });
    });
  });

  it('is as good as a password for all that the check tries, as a destination and as a source', async () => {
    expect(failed(await check(connection()))).toEqual([]);
    expect(failed(await checkAsSource({ ...connection(), ceph_options: target()['ceph_options'] ?? {} }))).toEqual([]);
  });

  it('makes and removes volumes', async () => {
    await opened(connection(), async (cloud) => {
      const { id } = await cloud.volume.volumes.create(
        { name: 'made-by-credential', size: 1, volume_type: 'standard' },
        never,
      );
      for (const deadline = Date.now() + 60_000; (await cloud.volume.volumes.get(id, never))?.status !== 'available';)
        if (Date.now() > deadline) throw new Error('no volume');
      await cloud.volume.volumes.delete(id, never);
      for (const deadline = Date.now() + 60_000; (await cloud.volume.volumes.get(id, never)) !== undefined;)
        if (Date.now() > deadline) throw new Error('it stays');
    });
  });

  it('is refused with a wrong secret, which nothing tells', async () => {
    const report = await check(connection('a-secret-that-is-wrong'));
    expect(stepOf(report, 'Sign in')).toMatchObject({
      outcome: 'failed',
      evidence: expect.stringContaining(`application credential ${credential.id}`) as unknown,
    });
    expect(JSON.stringify(report)).not.toContain('a-secret-that-is-wrong');
    await expect(opened(connection('a-secret-that-is-wrong'), (cloud) => cloud.identity(never))).rejects.toMatchObject({
      code: 'cloud.authentication-failed',
    });
  });
});

it('refuses a wrong password and an unknown project alike', async () => {
  for (const wrong of [
    { password: 'another' },
    { project_name: 'nowhere' },
    { project_name: 'origin' },
    { user_domain_name: 'nobody' },
  ]) {
    await expect(
      opened(target(wrong), (cloud) => cloud.identity(never)),
      JSON.stringify(wrong),
    ).rejects.toMatchObject({ code: 'cloud.authentication-failed' });
  }
});

describe('TLS in front of the services', () => {
  let front: TlsFront;
  const secure = (more: JsonObject): JsonObject => target({ auth_url: front.authUrl, ...more });
  beforeAll(async () => {
    front = await startTlsFront(folder, 'objectstore');
  });
  afterAll(() => front?.close());

  it('is trusted by the authority that is given, for all services that it signed', async () => {
    const report = await check(secure({ ca_certificate: front.authority }));
    expect(failed(report)).toEqual([]);
    expect(report.steps.map(({ name }) => name)).not.toContain('Verify certificates');
    expect(new Set(front.seen.map((line) => line.split(' ')[0]))).toEqual(
      new Set(['identity', 'compute', 'volume', 'image', 'network']),
    );
    expect(stepOf(report, 'Find the compute service')?.evidence).toMatch(/^https:\/\/localhost:\d+\/v2\.1$/);
  });

  it('is not trusted without it: not even the password is sent', async () => {
    const before = front.seen.length;
    const report = await check(secure({}));
    expect(failed(report)).toMatchObject([
      { name: 'Sign in', evidence: expect.stringMatching(/UNABLE_TO|CERT/) as unknown },
    ]);
    expect(front.seen.length).toBe(before);
  });

  it('is let pass with allow_untrusted, which the check says loudly', async () => {
    const report = await check(secure({ allow_untrusted: true }));
    expect(failed(report)).toEqual([]);
    expect(report.steps[0]).toMatchObject({
      outcome: 'warning',
      evidence: expect.stringMatching(/certificates of the cloud are NOT verified/) as unknown,
    });
    const asSource = await checkAsSource(secure({ allow_untrusted: true }));
    expect(failed(asSource)).toEqual([]);
    expect(
      asSource.steps.filter(({ outcome, evidence }) => outcome === 'warning' && evidence.includes('NOT verified')),
    ).toHaveLength(1);
  });

  it('of the object store alone is let pass with allow_untrusted_swift', async () => {
    const strict = await checkAsSource(secure({ ca_certificate: front.authority }));
    expect(stepOf(strict, 'Object store')).toMatchObject({
      outcome: 'warning',
      evidence: expect.stringMatching(/(UNABLE_TO|CERT).*objectstore_backups cannot be used/) as unknown,
    });
    const lax = await checkAsSource(secure({ ca_certificate: front.authority, allow_untrusted_swift: true }));
    expect(stepOf(lax, 'Object store')).toMatchObject({ outcome: 'passed' });
    expect(
      lax.steps.filter(
        ({ outcome, evidence }) =>
          outcome === 'warning' && evidence.includes('certificates of the object store are NOT verified'),
      ),
    ).toHaveLength(1);
    await expect(
      opened(secure({ allow_untrusted_swift: true }), (cloud) => cloud.identity(never)),
    ).rejects.toMatchObject({ code: 'cloud.certificate-not-trusted' });
  });
});

it('reads lists over all of their pages', async () => {
  const front = await startTlsFront(folder);
  const names = (connection: JsonObject) =>
    opened(connection, async (cloud) => {
      const named = async (list: Promise<readonly { readonly name?: string | null | undefined }[]>) =>
        (await list).map(({ name }) => name).sort();
      return {
        flavors: await named(cloud.compute.flavors(never)),
        images: await named(cloud.image.list({}, never)),
        networks: await named(cloud.network.networks({}, never)),
        groups: await named(cloud.network.securityGroups({}, never)),
        volumes: await named(cloud.volume.volumes.list({}, never)),
      };
    });
  try {
    front.pageBy(1);
    const inPages = await names(target({ auth_url: front.authUrl, ca_certificate: front.authority }));
    expect(inPages).toEqual(await names(target()));
    expect(inPages.flavors.length).toBeGreaterThanOrEqual(4);
    for (const list of ['/flavors/detail', '/v2/images', '/v2.0/networks', '/v2.0/security-groups']) {
      expect(
        front.seen.filter((line) => line.includes(`${list}?`) && line.includes('marker=')).length,
        list,
      ).toBeGreaterThan(0);
    }
  } finally {
    await front.close();
  }
});

describe('another region, with networks alone', () => {
  let endpoints: string[] = [];
  beforeAll(async () => {
    const { services } = await admin.call<{ services: { id: string; type: string }[] }>('identity', 'GET', '/services');
    const service = services.find(({ type }) => type === 'network')?.id;
    await admin
      .call('identity', 'PUT', '/regions/RegionTwo', { region: { id: 'RegionTwo' } })
      .catch(() => admin.call('identity', 'POST', '/regions', { region: { id: 'RegionTwo' } }));
    for (const [kind, host] of [
      ['public', '127.0.0.1'],
      ['internal', 'localhost'],
    ] as const) {
      const { endpoint } = await admin.call<{ endpoint: { id: string } }>('identity', 'POST', '/endpoints', {
        endpoint: { service_id: service, interface: kind, url: `http://${host}:19696`, region_id: 'RegionTwo' },
      });
      endpoints.push(endpoint.id);
    }
  });
  afterAll(async () => {
    for (const id of endpoints) await admin.call('identity', 'DELETE', `/endpoints/${id}`);
    await admin.call('identity', 'DELETE', '/regions/RegionTwo');
    endpoints = [];
  });

  const urlOf = (connection: JsonObject, service: Parameters<OpenStackCloud['url']>[0]) =>
    opened(connection, (cloud) => cloud.url(service, never));
  const withoutRegion = (): JsonObject => {
    const { region_name: _, ...rest } = target();
    return rest;
  };

  it('has to be named, where a service is in several', async () => {
    await expect(urlOf(withoutRegion(), 'network')).rejects.toMatchObject({
      code: 'cloud.service-missing',
      message: expect.stringMatching(/several regions \(Region(One|Two), Region(One|Two)\): set the region/) as unknown,
    });
    expect(await urlOf(withoutRegion(), 'compute')).toBe('http://127.0.0.1:18774/v2.1');
  });

  it('is chosen for one service, with its interface, while the others stay where they are', async () => {
    const connection = target({ region_names: { network: 'RegionTwo' }, interface_names: { network: 'internalURL' } });
    const hosts = new Map<string, string>();
    const see = (message: unknown): void => {
      const { request } = message as { request: ClientRequest };
      hosts.set(String(request.getHeader('host')), request.path);
    };
    subscribe('http.client.request.start', see);
    try {
      await opened(connection, async (cloud) => {
        expect((await cloud.network.networks({}, never)).map(({ name }) => name)).toContain('outside');
        await cloud.compute.flavors(never);
      });
    } finally {
      unsubscribe('http.client.request.start', see);
    }
    expect([...hosts.keys()].sort()).toEqual(['127.0.0.1:15000', '127.0.0.1:18774', 'localhost:19696']);
  });

  it('lacks the other services, and the check says each of them', async () => {
    const report = await check(target({ region_name: 'RegionTwo' }));
    const missing = failed(report).filter(({ name }) => name.startsWith('Find the '));
    expect(missing.map(({ name }) => name)).toEqual([
      'Find the compute service',
      'Find the volume service',
      'Find the image service',
    ]);
    for (const { evidence } of missing)
      expect(evidence).toMatch(/has no public interface in region RegionTwo \(it has .*RegionOne/);
  });
});

describe('what somebody may', () => {
  let userId: string;
  beforeAll(async () => {
    const { projects } = await admin.call<{ projects: { id: string }[] }>('identity', 'GET', '/projects?name=target');
    const { roles } = await admin.call<{ roles: { id: string; name: string }[] }>('identity', 'GET', '/roles');
    ({
      user: { id: userId },
    } = await admin.call<{ user: { id: string } }>('identity', 'POST', '/users', {
      user: { name: `looker-${process.pid}`, password: rigPassword, domain_id: 'default' },
    }));
    await admin.call(
      'identity',
      'PUT',
      `/projects/${projects[0]?.id}/users/${userId}/roles/${roles.find(({ name }) => name === 'reader')?.id}`,
    );
  });
  afterAll(() => admin?.call('identity', 'DELETE', `/users/${userId}`));

  it('is told when it is looking only, by the check of either side', async () => {
    const connection = target({ username: `looker-${process.pid}` });
    for (const report of [await check(connection), await checkAsSource(connection)]) {
      expect(stepOf(report, 'Sign in')).toMatchObject({
        outcome: 'warning',
        evidence: expect.stringMatching(/reader.*a role that can create/) as unknown,
      });
    }
  });
});

it('speaks the versions of the interfaces that it says, and the cloud answers in them', async () => {
  const spoken = new Map<string, string>();
  const see = (message: unknown): void => {
    const { request, response } = message as { request: ClientRequest; response: IncomingMessage };
    const asked = request.getHeader('openstack-api-version');
    if (asked !== undefined) spoken.set(String(asked), String(response.headers['openstack-api-version']));
  };
  subscribe('http.client.response.finish', see);
  try {
    await opened(target(), async (cloud) => {
      await cloud.compute.servers.list({}, never);
      await cloud.volume.volumes.list({}, never);
      expect(Number((await cloud.compute.newestVersion(never)).split('.')[1])).toBeGreaterThan(
        Number(spokenVersions.compute.split('.')[1]),
      );
    });
  } finally {
    unsubscribe('http.client.response.finish', see);
  }
  const wanted = [`compute ${spokenVersions.compute}`, `volume ${spokenVersions.volume}`];
  expect([...spoken].sort()).toEqual(wanted.map((version) => [version, version]));
});
