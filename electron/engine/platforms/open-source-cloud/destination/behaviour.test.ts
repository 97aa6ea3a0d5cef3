import { afterEach, describe, expect, it } from 'vitest';
import type { Nic, Vm } from '../../../../../shared/model/vm.ts';
import type { LedgerEntry, LedgerScope } from '../../../ports/ledger.ts';
import type { DeploymentRun } from '../../../ports/deployment-platform.ts';
import { createHastyClock } from '../../../time/testing/hasty-clock.ts';
import type { Network } from '../client/network.ts';
import {
  startScriptedCloud,
  type ScriptedAnswer,
  type ScriptedCloud,
  type SeenRequest,
} from '../testing/scripted-cloud.ts';
import { checkEndpoint } from './check-endpoint.ts';
import { checkEnvironment } from './check-environment.ts';
import { openSession, type OpenStackSession } from './context.ts';
import { portFor } from './deployment/port-reuse.ts';
import { findPool } from './networks.ts';
import { deleterFor } from './remove-resource.ts';

const signal = new AbortController().signal;
const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

async function open(
  answer: (request: SeenRequest, number: number) => ScriptedAnswer | undefined,
  more: Readonly<Record<string, unknown>> = {},
  options: Parameters<typeof startScriptedCloud>[1] = {},
): Promise<{ script: ScriptedCloud; session: OpenStackSession }> {
  const clock = createHastyClock();
  const script = await startScriptedCloud(answer, { now: () => clock.wallTime(), ...options });
  const session = openSession({ ...script.connection, ...more }, { clock, random: () => 0 });
  opened.push(() => {
    session.cloud.close();
    script.close();
  });
  return { script, session };
}

const entry = (kind: LedgerEntry['kind'], more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  entryId: 'res-1',
  endpointId: 'e',
  kind,
  key: 'k',
  name: 'causeway-res-1',
  lifetime: 'deployment',
  state: 'removing',
  details: {},
  createdAt: '',
  ...more,
});

describe('a removal', () => {
  it('takes from a volume what a server that never ran still holds of it, and nothing of one that is there', async () => {
    const attachments = [
      { id: 'stale', status: 'reserved', instance: 'gone' },
      { id: 'live', status: 'attaching', instance: 'there' },
    ];
    let isThere = true;
    const { script, session } = await open(({ method, target }) => {
      if (target.includes('/attachments') && method === 'GET') return { body: { attachments } };
      if (target.endsWith('/servers/there'))
        return { body: { server: { id: 'there', name: 'there', status: 'ACTIVE', metadata: {} } } };
      if (target.includes('/attachments/')) return { body: {} };
      if (target.endsWith('/volumes/v1') && method === 'DELETE') {
        isThere = false;
        return { status: 202 };
      }
      if (target.endsWith('/volumes/v1') && isThere)
        return { body: { volume: { id: 'v1', status: 'reserved', size: 1, metadata: {}, attachments: [] } } };
      return undefined;
    });
    await deleterFor(session, entry('volume', { lifetime: 'temporary' })).remove('v1', signal);
    expect(script.calls().filter((call) => call.startsWith('DELETE'))).toEqual([
      expect.stringContaining('/attachments/stale'),
      expect.stringContaining('/volumes/v1'),
    ]);
  });

  it('takes a volume from the VM that an engine runs on, and leaves the VM alone', async () => {
    let isAttached = true;
    const { script, session } = await open(({ method, target }) => {
      if (method === 'DELETE' && target.includes('/os-volume_attachments/')) {
        isAttached = false;
        return { status: 202 };
      }
      if (target.endsWith('/volumes/v1'))
        return {
          body: {
            volume: {
              id: 'v1',
              status: isAttached ? 'in-use' : 'available',
              size: 1,
              metadata: {},
              attachments: isAttached ? [{ server_id: 'mover', attachment_id: 'a', device: '/dev/vdb' }] : [],
            },
          },
        };
      return undefined;
    });
    const attachment = entry('attachment', { lifetime: 'temporary', details: { vmId: 'mover', volumeId: 'v1' } });
    const deleter = deleterFor(session, attachment);
    expect(await deleter.findId(signal)).toBe('mover/v1/res-1');
    await deleter.remove('mover/v1/res-1', signal);
    expect(await deleter.isThere('mover/v1/res-1', signal)).toBe(false);
    await deleter.remove('mover/v1/res-1', signal);
    expect(script.calls().filter((call) => !call.startsWith('GET') && !call.startsWith('POST identity'))).toEqual([
      expect.stringContaining('DELETE compute/servers/mover/os-volume_attachments/v1'),
    ]);
  });

  it('is asked for again when the storage held on to the snapshot after all', async () => {
    const statuses = ['deleting', 'available', 'deleting', undefined];
    const { script, session } = await open(({ method }) => {
      if (method === 'DELETE') return { status: 202 };
      const status = statuses.shift();
      return status === undefined ? undefined : { body: { snapshot: { id: 's', volume_id: 'v', status, size: 1 } } };
    });
    await deleterFor(session, entry('volume-snapshot')).remove('s', signal);
    expect(script.calls().filter((call) => call.startsWith('DELETE'))).toEqual([
      'DELETE volume/snapshots/s',
      'DELETE volume/snapshots/s',
    ]);
  });

  it('waits while the volume can not go, though the service calls that a bad request', async () => {
    let refusals = 2;
    const { script, session } = await open(({ method }) => {
      if (method === 'GET')
        return refusals < 0 ? undefined : { body: { volume: { id: 'v', status: 'available', size: 1 } } };
      refusals -= 1;
      return refusals < 0
        ? { status: 202 }
        : {
            status: 400,
            body: { badRequest: { code: 400, message: 'Invalid volume: Volume status must be available or error…' } },
          };
    });
    await deleterFor(session, entry('volume')).remove('v', signal);
    expect(script.calls().filter((call) => call.startsWith('DELETE'))).toHaveLength(3);
  });

  it('that failed in the storage ends with its word', async () => {
    const { session } = await open(({ method }) =>
      method === 'DELETE'
        ? { status: 202 }
        : { body: { snapshot: { id: 's', volume_id: 'v', status: 'error_deleting', size: 1 } } },
    );
    await expect(deleterFor(session, entry('volume-snapshot')).remove('s', signal)).rejects.toMatchObject({
      code: 'cloud.operation-failed',
      message: 'remove snapshot s: error_deleting',
    });
  });
});

describe('the MAC address of a NIC', () => {
  const network = { id: 'net', name: 'private' } as Network;
  const nic: Nic = { id: 'n0', network: 'VM Network', mac_address: '52:54:00:AA:00:01' };
  const port = (more: object) => ({
    body: {
      ports: [{ id: 'p', name: 'theirs', network_id: 'net', mac_address: '52:54:00:aa:00:01', device_id: '', ...more }],
    },
  });
  const ledger = { list: () => [entry('nic')] } as unknown as LedgerScope;
  const notes: string[] = [];
  const run = { ledger, note: (message: string) => void notes.push(message) } as unknown as DeploymentRun;
  const choose = async (policy: 'keep_mac' | 'replace_mac' | 'reuse_ports', answer: ScriptedAnswer, of = nic) => {
    const { session } = await open(() => answer);
    return portFor(session, run, policy, network, of, signal);
  };
  const macAddress = '52:54:00:aa:00:01';

  it('is kept where nobody has it, whatever the policy, but for the one that replaces it', async () => {
    const nobody = { body: { ports: [] } };
    expect(await choose('keep_mac', nobody)).toEqual({ macAddress });
    expect(await choose('reuse_ports', nobody)).toEqual({ macAddress });
    expect(await choose('replace_mac', nobody)).toEqual({});
    expect(await choose('keep_mac', nobody, { id: 'n', network: 'x' })).toEqual({});
  });

  it('is taken from a free port: by removing it, by taking it over, or not at all', async () => {
    expect(await choose('keep_mac', port({}))).toEqual({ macAddress, replacedPortId: 'p' });
    expect(await choose('reuse_ports', port({}))).toEqual({ reusedPortId: 'p' });
    expect(await choose('replace_mac', port({}))).toEqual({});
  });

  it('is never taken from a server', async () => {
    const used = port({ device_id: 'server-1', device_owner: 'compute:nova' });
    await expect(choose('keep_mac', used)).rejects.toMatchObject({
      code: 'cloud.port-in-use',
      details: { deviceId: 'server-1' },
    });
    expect(await choose('reuse_ports', used)).toEqual({});
    expect(notes.at(-1)).toContain('in use by server-1');
  });

  it('is kept by a deployment that goes on after a crash, whose own port has it', async () => {
    expect(await choose('keep_mac', port({ description: 'managed-by=causeway causeway-entry=res-1' }))).toEqual({
      macAddress,
    });
  });
});

describe('a pool of floating IPs', () => {
  const external = [
    { id: 'x1', name: 'public', subnets: ['s1', 's2'] },
    { id: 'x2', name: 'a/b', subnets: [] },
  ];
  const subnets = [
    { id: 's1', name: 'low', network_id: 'x1', cidr: '198.51.100.0/25', ip_version: 4, gateway_ip: '198.51.100.1' },
    { id: 's6', name: 'six', network_id: 'x1', cidr: 'fd00::/64', ip_version: 6 },
  ];
  const find = async (wanted: string | undefined, networks: readonly object[] = external) => {
    const { session } = await open(({ target }) => ({
      body: target.includes('subnets') ? { subnets: target.includes('x1') ? subnets : [] } : { networks },
    }));
    return findPool(session.cloud, 'floating_ip_pool', wanted, signal);
  };

  it.each([
    ['public', { networkId: 'x1', subnetId: undefined, prefixes: ['198.51.100.0/25'], gateway: '198.51.100.1' }],
    ['x1', { networkId: 'x1', subnetId: undefined }],
    ['public/low', { networkId: 'x1', subnetId: 's1' }],
    ['public/s2', { networkId: 'x1', subnetId: 's2', prefixes: [] }],
    ['a/b', { networkId: 'x2', subnetId: undefined }],
  ])('is a network, or a subnet of one: %s', async (wanted, expected) => {
    expect(await find(wanted)).toMatchObject(expected);
  });

  it('is the only one there is when none is named', async () => {
    expect(await find(undefined, external.slice(0, 1))).toMatchObject({ networkId: 'x1' });
    await expect(find(undefined)).rejects.toMatchObject({ code: 'cloud.parameter-missing' });
  });

  it.each(['private', 'public/high', 'private/low'])('that is not there is refused: %s', async (wanted) => {
    await expect(find(wanted)).rejects.toMatchObject({ code: 'cloud.name-unknown' });
  });
});

describe('the check of an endpoint', () => {
  const list = (target: string): ScriptedAnswer | undefined => {
    if (target.endsWith('/limits'))
      return { body: { limits: { absolute: { maxTotalInstances: 2, totalInstancesUsed: 2 } } } };
    if (target.includes('os-quota-sets') || target.includes('quotas'))
      return { status: 403, body: { forbidden: { message: 'not for you' } } };
    if (target === 'compute/' || target === 'compute/v2.1/')
      return { body: { version: { id: 'v2.1', version: '2.60' } } };
    const key = /\/([a-z-]+)(\/detail)?(\?|$)/.exec(target)?.[1] ?? '';
    const named =
      { 'os-keypairs': 'keypairs', 'os-server-groups': 'server_groups', types: 'volume_types' }[key] ??
      key.replaceAll('-', '_');
    return { body: { [named]: [] } };
  };

  it('says which service is missing, which quota is used up, and that the cloud is too old, and goes on', async () => {
    const { session } = await open(
      ({ target }) => list(target),
      {},
      {
        catalog: (url) =>
          ['compute', 'volumev3', 'network'].map((type) => ({
            type,
            endpoints: [
              { interface: 'public', region_id: 'one', url: `${url}/${type === 'volumev3' ? 'volume/v3/p1' : type}` },
            ],
          })),
      },
    );
    const { passed, steps } = await checkEndpoint(session, signal);
    const about = (name: string) => steps.find((step) => step.name === name);
    expect(passed).toBe(false);
    expect(about('Find the image service')).toMatchObject({
      outcome: 'failed',
      evidence: expect.stringContaining('no image service') as unknown,
    });
    expect(about('List images')?.outcome).toBe('failed');
    expect(about('List networks')?.outcome).toBe('passed');
    expect(about('Compare the version of compute')).toMatchObject({
      outcome: 'warning',
      evidence: expect.stringContaining('2.60') as unknown,
    });
    expect(about('Read the quotas')).toMatchObject({
      outcome: 'warning',
      evidence: expect.stringContaining('exhausted: instances') as unknown,
    });
  });

  it('warns loudly when no certificate is verified', async () => {
    const { session } = await open(({ target }) => list(target), { allow_untrusted: true });
    const [first] = (await checkEndpoint(session, signal)).steps;
    expect(first).toMatchObject({
      name: 'Verify certificates',
      outcome: 'warning',
      evidence: expect.stringContaining('NOT verified') as unknown,
    });
  });
});

describe('an image of a worker that the cloud does not have', () => {
  const environment = {
    network_map: { lan: 'private' },
    migr_network: 'private',
    migr_flavor_name: 'small',
    migr_image_map: { linux: 'Debian', windows: 'Windows' },
  };
  const limits = {
    maxTotalInstances: -1,
    totalInstancesUsed: 0,
    maxTotalCores: -1,
    totalCoresUsed: 0,
    maxTotalRAMSize: -1,
    totalRAMUsed: 0,
  };
  const answers: Readonly<Record<string, object>> = {
    'compute/flavors/detail': { flavors: [{ id: 'f', name: 'small', vcpus: 1, ram: 2048, disk: 20 }] },
    'compute/limits': { limits: { absolute: limits } },
    'network/networks': { networks: [{ id: 'n', name: 'private', project_id: 'p1' }] },
    'network/subnets': {
      subnets: [{ id: 's', name: 'low', network_id: 'n', cidr: '10.0.0.0/24', ip_version: 4, gateway_ip: '10.0.0.1' }],
    },
    'image/images': {
      images: [{ id: 'i', name: 'Debian', status: 'active', min_disk: 1, min_ram: 0, size: 1, visibility: 'public' }],
    },
    'volume/volumes/detail': { volumes: [] },
  };
  const findings = async (osType: Vm['os_type']): Promise<string[]> => {
    const { session } = await open(
      ({ target }) => {
        const body = answers[target.split('?')[0] ?? ''];
        return body === undefined ? undefined : { body };
      },
      { caller_address: '10.0.0.0/24' },
    );
    const vm: Vm = {
      id: 'vm',
      name: 'vm',
      os_type: osType,
      vcpus: 1,
      memory_mb: 1024,
      disks: [],
      nics: [{ id: 'n0', network: 'lan' }],
    };
    return (await checkEnvironment(session, environment, vm, signal)).map(
      ({ severity, path }) => `${severity} ${path}`,
    );
  };

  it('is an error where it is needed, and a word elsewhere', async () => {
    expect(await findings('windows')).toEqual(['error /migr_image_map/windows']);
    expect(await findings('linux')).toEqual(['warning /migr_image_map/windows']);
  });
});
