import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../shared/model/json.ts';
import { startDebianServer, type DebianServer } from '../rigs/open-source-cloud/debian-server.ts';
import { guestOn } from '../rigs/open-source-cloud/migrated-guest.ts';
import { volumeBytes } from '../rigs/open-source-cloud/origin-server.ts';
import { startOpenSourceLab, type OpenSourceLab } from '../rigs/open-source-cloud/project-lab.ts';

const minute = 60_000;
const mib = 2 ** 20;

function stage(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}

describe('a server of one project, moved to another project of the same cloud', () => {
  let lab: OpenSourceLab;
  let server: DebianServer;
  let files: Record<string, string>;
  let moved: undefined | { readonly networkId: string; readonly subnetId: string; readonly routerId: string };

  beforeAll(async () => {
    lab = await startOpenSourceLab();
    server = await startDebianServer(lab.cloud, 'debian', lab.folder);
    stage('the source answers SSH');
    files = { [server.volumeId]: join(lab.folder, 'source.raw') };
    moved = await networkLikeTheirs();
    await lab.use((core) =>
      core.call('endpoint.add', {
        name: 'origin',
        plugin: 'open-source-cloud',
        connection: lab.cloud.connection('origin') as JsonObject,
      }),
    );
    const { nics } = await lab.use((core) => core.call('vm.show', { endpoint: 'origin', vm: server.id }));
    await lab.createReplica(
      'debian',
      server.id,
      {
        network_map: { [nics[0]?.network ?? '']: 'moved' },
        preserve_fixed_ips: true,
        use_floating_ip: true,
        floating_ip_pool: 'outside',
      },
      { endpoint: 'origin', environment: { replica_export_mechanism: 'distributed_snapshots' } },
    );
  }, 15 * minute);
  afterAll(async () => {
    await server?.close();
    await lab?.close();
    if (moved === undefined) return;
    await lab.api.call('network', 'PUT', `/v2.0/routers/${moved.routerId}/remove_router_interface`, {
      subnet_id: moved.subnetId,
    });
    await lab.api.call('network', 'DELETE', `/v2.0/networks/${moved.networkId}`);
  });

  /** A network with the source's range, so that addresses can stay. */
  async function networkLikeTheirs(): Promise<NonNullable<typeof moved>> {
    const { network } = await lab.api.call<{ network: { id: string } }>('network', 'POST', '/v2.0/networks', {
      network: { name: 'moved' },
    });
    const { subnet } = await lab.api.call<{ subnet: { id: string } }>('network', 'POST', '/v2.0/subnets', {
      subnet: { name: 'moved', network_id: network.id, ip_version: 4, cidr: '10.71.0.0/24' },
    });
    const {
      routers: [router],
    } = await lab.api.call<{ routers: { id: string }[] }>('network', 'GET', '/v2.0/routers');
    await lab.api.call('network', 'PUT', `/v2.0/routers/${router?.id}/add_router_interface`, { subnet_id: subnet.id });
    return { networkId: network.id, subnetId: subnet.id, routerId: router?.id ?? '' };
  }

  const ours = async (): Promise<string[]> => (await lab.leftovers()).map((line) => line.split(' ')[0] ?? '');
  const snapshotsOfTheirs = async (): Promise<string[]> =>
    (
      await (
        await lab.cloud.api('origin')
      ).call<{ snapshots: { name: string }[] }>('block-storage', 'GET', `/snapshots?volume_id=${server.volumeId}`)
    ).snapshots.map(({ name }) => name);
  const sourceNow = () => volumeBytes(lab.cloud, server.volumeId, files[server.volumeId] ?? '');

  it(
    'is replicated while it runs, then with what changed, and each project keeps what belongs to it',
    async () => {
      const first = await lab.execute('debian');
      expect(first, `${first.error?.code}: ${first.error?.message}`).toMatchObject({
        state: 'completed',
        leftBehind: 0,
      });
      await server.ssh.text('head -c 24M /dev/urandom > /srv/data/changed && sync');
      const second = await lab.execute('debian');
      expect(second, `${second.error?.code}: ${second.error?.message}`).toMatchObject({
        state: 'completed',
        leftBehind: 0,
      });
      const sent = await Promise.all([first, second].map((each) => lab.bytesSent(each)));
      stage(`replicated with ${sent.map((bytes) => `${(bytes / mib).toFixed(1)} MiB`).join(', then with ')}`);
      expect(sent[1]).toBeGreaterThanOrEqual(24 * mib);
      expect(sent[1]).toBeLessThan(96 * mib);
      expect(await ours()).toEqual(['volume']);
      expect(await snapshotsOfTheirs()).toEqual([expect.stringMatching(/^causeway-/)]);
      const items = await lab.use((core) => core.call('ledger.list', {}));
      expect(items.map(({ kind, lifetime }) => `${kind} of the ${lifetime}`).sort()).toEqual([
        'source-snapshot of the replica',
        'volume of the replica',
        'volume-snapshot of the replica',
      ]);
      expect(await lab.use((core) => core.call('ledger.list', { orphansOnly: true }))).toEqual([]);
    },
    15 * minute,
  );

  it(
    'runs in the other project after a last pass, with its addresses',
    async () => {
      const late = await server.ssh.text(
        'cd /srv/data && head -c 3000000 /dev/urandom > late && sync && sha256sum changed late',
      );
      // From one server of the cloud to another of its servers, a guest needs no preparation.
      const deployment = await lab.deploy('debian', {
        skipMorphing: true,
        bootCheck: { mode: 'network' },
        execute: { lastPass: true },
      });
      expect(
        deployment,
        `${deployment.error?.code}: ${deployment.error?.message}\n${deployment.boot?.console.slice(-3000)}`,
      ).toMatchObject({
        state: 'completed',
        leftBehind: 0,
        boot: { outcome: 'up' },
      });
      stage(`deployed, up after ${deployment.boot?.seconds.toFixed(0)} s`);
      await sourceNow();
      expect(await lab.difference('debian', files)).toBeUndefined();
      const { server: now } = await (
        await lab.cloud.api('origin')
      ).call<{ server: { status: string } }>('compute', 'GET', `/servers/${server.id}`);
      expect(now.status).toBe('SHUTOFF');

      const ssh = await guestOn(deployment.server?.addresses[0], lab.folder);
      const shown = await ssh.text(
        'cd /srv/data; sha256sum changed late; ls /sys/bus/virtio/drivers/virtio_blk/ | grep -c virtio; for nic in /sys/class/net/e*; do cat $nic/address; done; ip -4 -o addr | grep -o "inet 10.[^ ]*"',
      );
      stage(`the guest says: ${shown.replaceAll('\n', ', ')}`);
      expect(shown.split('\n')).toEqual([
        ...late.split('\n'),
        '1',
        server.macAddress,
        `inet ${server.fixedAddress}/24`,
      ]);

      await lab.use((core) => core.call('deployment.delete', { deployment: deployment.id, dryRun: false }));
      await lab.use((core) => core.call('replica.delete', { replica: 'debian' }));
      expect(await lab.use((core) => core.call('ledger.list', {}))).toEqual([]);
      expect(await snapshotsOfTheirs()).toEqual([]);
      expect(await ours()).toEqual([]);
    },
    40 * minute,
  );
});
