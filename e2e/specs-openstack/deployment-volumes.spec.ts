import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type {
  DeploymentPlan,
  DeploymentPlatform,
  DeploymentRun,
} from '../../electron/engine/ports/deployment-platform.ts';
import type { DestinationPlatform, Volume } from '../../electron/engine/ports/destination-platform.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import { run } from '../rigs/machines/child-process.ts';
import type { RigApi } from '../rigs/open-source-cloud/admin-api.ts';
import { startDestinationLab, type DestinationLab } from '../rigs/open-source-cloud/destination-lab.ts';

const never = new AbortController().signal;

describe('volumes and ports of a deployment on the open-source cloud', () => {
  let lab: DestinationLab;
  let api: RigApi;
  let platform: DestinationPlatform;
  let deployment: DeploymentPlatform;
  let current: DeploymentRun;
  let volume: Volume;

  beforeAll(async () => {
    lab = await startDestinationLab('volumes', { removeMs: 60_000 });
    ({ api, platform, deployment } = lab);
  });
  afterAll(() => lab?.close());

  beforeEach(async () => {
    current = lab.newRun({
      nics: [
        {
          id: 'nic-0',
          network: 'VM Network',
          mac_address: '52:54:00:AA:00:21',
          ip_addresses: ['10.72.0.121', 'fd00::1'],
        },
      ],
    });
    const [made] = await platform.ensureVolumes(current, current.vm.disks, never);
    if (made === undefined) throw new Error('no volume');
    volume = made;
    await write(volume.id, 7);
    return async () => {
      await deployment.rollBack(current, never);
      await platform.deleteVolumes(current, never);
      expect(current.ledger.list()).toEqual([]);
    };
  });

  const image = (id: string): string => `volumes/volume-${id}`;
  const rbd = (...args: string[]): ReturnType<typeof run> => run('rbd', ['-c', lab.cloud.cephConfiguration, ...args]);
  const write = (id: string, megabytes: number): ReturnType<typeof run> =>
    rbd(
      'bench',
      '--io-type',
      'write',
      '--io-size',
      '1M',
      '--io-total',
      `${megabytes}M`,
      '--io-pattern',
      'seq',
      image(id),
    );
  const digest = async (id: string): Promise<string> => {
    const path = join(lab.folder, 'content');
    await rm(path, { force: true });
    await rbd('export', '--no-progress', image(id), path);
    return (await run('sha256sum', [path])).split(' ')[0] ?? '';
  };
  const plan = (more: JsonObject): Promise<DeploymentPlan> =>
    deployment.plan({ ...current, environment: { ...current.environment, ...more } }, [volume], never);
  /** What the cloud has of this replica, whatever the ledger says. */
  const mine = async (): Promise<string[]> =>
    ((await platform.listManaged?.([], never)) ?? [])
      .filter(({ replicaId }) => replicaId === current.replicaId)
      .map(({ kind }) => kind);

  it('are copies with the content of the snapshots, which can go at once, as the replica can', async () => {
    const snapshots = await deployment.snapshotVolumes(current, [volume], never);
    const [copy] = await deployment.volumesFromSnapshots(current, snapshots, never);
    expect(await digest(copy?.id ?? '')).toBe(await digest(volume.id));
    await deployment.deleteSnapshots(current, never);
    await platform.deleteVolumes(current, never);
    const { volumes } = await api.call<{ volumes: { id: string; status: string; volume_type: string }[] }>(
      'block-storage',
      'GET',
      '/volumes/detail',
    );
    expect(volumes.filter(({ id }) => id === copy?.id || id === volume.id)).toMatchObject([
      { id: copy?.id, status: 'available', volume_type: 'standard' },
    ]);
  });

  it.each([
    { about: 'would leave them', delete_disks_on_vm_termination: false },
    { about: 'would take them with it', delete_disks_on_vm_termination: true },
  ])(
    'get their content back after a deployment in place that failed, although its server $about',
    async ({ delete_disks_on_vm_termination }) => {
      current = {
        ...current,
        environment: { ...current.environment, security_groups: ['open'], delete_disks_on_vm_termination },
      };
      const snapshots = await deployment.snapshotVolumes(current, [volume], never);
      const content = await digest(volume.id);
      await write(volume.id, 40);
      expect(await digest(volume.id)).not.toBe(content);
      // It came so far that its server ran.
      const settled = await plan({});
      const { id } = await deployment.createServer(
        current,
        settled,
        [volume],
        await deployment.createNics(current, settled, never),
        never,
      );
      const { server } = await api.call<{ server: object }>('compute', 'GET', `/servers/${id}`);
      expect(server).toMatchObject({
        'os-extended-volumes:volumes_attached': [
          { id: volume.id, delete_on_termination: delete_disks_on_vm_termination },
        ],
      });
      expect(await deployment.restoreVolumes(current, snapshots, never)).toMatchObject([
        { id: volume.id, diskId: 'd0' },
      ]);
      expect(await digest(volume.id)).toBe(content);
      await deployment.rollBack(current, never);
      expect(await mine()).toEqual(['volume']);
    },
  );

  it('have the MAC address and the fixed IP of the source, and a port of somebody else gives way', async () => {
    const theirs = await foreignPort();
    const settled = await plan({ preserve_fixed_ips: true, security_groups: ['open'] });
    const [nic] = await deployment.createNics(current, settled, never);
    expect(nic).toMatchObject({
      macAddress: '52:54:00:aa:00:21',
      ipAddress: '10.72.0.121',
      prefixLength: 24,
      gateway: '10.72.0.1',
      sourceNicId: 'nic-0',
    });
    expect(nic?.id).not.toBe(theirs);
    await expect(portOf(theirs)).rejects.toThrow('404');
    expect(await deployment.createNics(current, settled, never)).toEqual([nic]);
  });

  it('have another MAC address when it is to be replaced', async () => {
    const theirs = await foreignPort();
    const [nic] = await deployment.createNics(current, await plan({ port_reuse_policy: 'replace_mac' }), never);
    expect(nic?.macAddress).toMatch(/^fa:16:3e:/);
    expect(await portOf(theirs)).toMatchObject({ id: theirs });
    await api.call('network', 'DELETE', `/v2.0/ports/${theirs}`);
  });

  it('are the ports that are there when those are to be reused, and no roll-back removes them', async () => {
    const theirs = await foreignPort();
    const [nic] = await deployment.createNics(
      current,
      await plan({ port_reuse_policy: 'reuse_ports', security_groups: ['open'] }),
      never,
    );
    expect(nic).toMatchObject({ id: theirs, macAddress: '52:54:00:aa:00:21' });
    await deployment.rollBack(current, never);
    const {
      security_groups: [open],
    } = await api.call<{ security_groups: { id: string }[] }>('network', 'GET', '/v2.0/security-groups?name=open');
    expect(await portOf(theirs)).toMatchObject({ id: theirs, security_groups: [open?.id] });
    await api.call('network', 'DELETE', `/v2.0/ports/${theirs}`);
  });

  async function foreignPort(): Promise<string> {
    const {
      networks: [own],
    } = await api.call<{ networks: { id: string }[] }>('network', 'GET', `/v2.0/networks?name=${lab.network}`);
    const { port } = await api.call<{ port: { id: string } }>('network', 'POST', '/v2.0/ports', {
      port: { network_id: own?.id, name: 'theirs', mac_address: '52:54:00:aa:00:21' },
    });
    return port.id;
  }

  async function portOf(id: string): Promise<{ id: string; security_groups: string[] }> {
    return (await api.call<{ port: { id: string; security_groups: string[] } }>('network', 'GET', `/v2.0/ports/${id}`))
      .port;
  }
});
