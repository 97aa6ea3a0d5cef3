import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeploymentDetail, DeploymentOptions } from '../../shared/model/deployment.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import { startOpenSourceLab, type OpenSourceLab } from '../rigs/open-source-cloud/project-lab.ts';
import { startPackageProxy } from '../rigs/open-source-cloud/package-proxy.ts';
import { guestOn, publicKey } from '../rigs/open-source-cloud/migrated-guest.ts';
import { startSourceVm, type SourceVm } from '../rigs/source-vm.ts';

const minute = 60_000;
const mib = 2 ** 20;
/** The address that QEMU gives a VM's first NIC. */
const mac = '52:54:00:12:34:56';

interface Server {
  readonly id: string;
  readonly status: string;
  readonly metadata: Record<string, string>;
  readonly tags: readonly string[];
  readonly key_name: string;
  readonly flavor: { readonly original_name: string };
  readonly 'os-extended-volumes:volumes_attached': readonly {
    readonly id: string;
    readonly delete_on_termination: boolean;
  }[];
}

function stage(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}

describe('a Debian that runs under QEMU, deployed on the open-source cloud', () => {
  let lab: OpenSourceLab;
  let proxy: Awaited<ReturnType<typeof startPackageProxy>>;
  let vm: SourceVm;
  let vmFolder: string;
  let files: Record<string, string>;

  beforeAll(async () => {
    lab = await startOpenSourceLab();
    proxy = await startPackageProxy();
    vmFolder = await mkdtemp(join(tmpdir(), 'cwy-vm-'));
    vm = await startSourceVm({ folder: vmFolder });
    await lab.api
      .call('compute', 'POST', '/os-keypairs', { keypair: { name: 'ops-key', public_key: await publicKey() } })
      .catch(() => undefined);
    await lab.api
      .call('compute', 'POST', '/os-server-groups', {
        server_group: { name: 'web-group', policy: 'soft-anti-affinity' },
      })
      .catch(() => undefined);
    await vm.ssh.waitUntilUp(5 * minute);
    // The emulator stays when its guest is off, as hypervisors do, so that its disks can be read then.
    await vm.monitor.execute('set-action', { shutdown: 'pause' });
    await lab.use((core) =>
      core.call('endpoint.add', {
        name: 'hypervisor',
        plugin: 'qemu-hypervisor',
        connection: { qmp_socket: vm.qmpSocket, os_type: 'linux' },
      }),
    );
    const described = await lab.use((core) => core.call('vm.show', { endpoint: 'hypervisor', vm: vm.name }));
    files = { [described.disks[0]?.id ?? '']: vm.disks[0]?.path ?? '' };
    await lab.createReplica('web', vm.name, environment(), { endpoint: 'hypervisor' });
    stage('the source answers SSH');
  }, 15 * minute);
  afterAll(async () => {
    for (const { id } of (
      await lab?.api.call<{ server_groups: { id: string }[] }>('compute', 'GET', '/os-server-groups')
    )?.server_groups ?? []) {
      await lab.api.call('compute', 'DELETE', `/os-server-groups/${id}`);
    }
    await lab?.api.call('compute', 'DELETE', '/os-keypairs/ops-key');
    // The VM after the lab: deleting the replica takes its base from the VM.
    await lab?.close();
    await vm?.close();
    await proxy?.close();
    await rm(vmFolder, { recursive: true, force: true });
  });

  const deploy = (options: DeploymentOptions = {}): Promise<DeploymentDetail> =>
    lab.deploy('web', { httpProxy: proxy.url, bootCheck: { mode: 'network' }, ...options });
  const environment = (): JsonObject => ({
    ...lab.environment,
    network_map: { net0: lab.network },
    use_floating_ip: true,
    floating_ip_pool: 'outside',
    hypervisor_type: 'qemu',
    keypair_name: 'ops-key',
    server_group: 'web-group',
    instance_tags: { environment: 'production', cost: 'a/b' },
  });
  const leftKinds = async (): Promise<string[]> => (await lab.leftovers()).map((line) => line.split(' ')[0] ?? '');

  it(
    'is replicated while it runs, and again with what changed',
    async () => {
      const first = await lab.execute('web');
      expect(first, `${first.error?.code}: ${first.error?.message}`).toMatchObject({
        state: 'completed',
        leftBehind: 0,
      });
      const whole = await lab.bytesSent(first);
      await vm.ssh.text('head -c 24M /dev/urandom > /srv/data/changed && sync');
      const second = await lab.execute('web');
      expect(second, `${second.error?.code}: ${second.error?.message}`).toMatchObject({
        state: 'completed',
        leftBehind: 0,
      });
      const changed = await lab.bytesSent(second);
      stage(`replicated with ${(whole / mib).toFixed(1)} MiB, then with ${(changed / mib).toFixed(1)} MiB`);
      expect(whole).toBeGreaterThan(200 * mib);
      expect(changed).toBeGreaterThanOrEqual(24 * mib);
      expect(changed).toBeLessThan(48 * mib);
      expect(await leftKinds()).toEqual(['volume']);
    },
    15 * minute,
  );

  it(
    'boots under Nova after a last pass, with its addresses, and the cloud has what the environment asked for',
    async () => {
      const late = await vm.ssh.text(
        'cd /srv/data && head -c 3000000 /dev/urandom > late && sync && sha256sum changed late',
      );
      const deployment = await deploy({ execute: { lastPass: true } });
      expect(
        deployment,
        `${deployment.error?.code}: ${deployment.error?.message}\n${deployment.boot?.console.slice(-3000)}`,
      ).toMatchObject({
        state: 'completed',
        leftBehind: 0,
        boot: { outcome: 'up' },
      });
      stage(
        `deployed, guest prepared in ${deployment.guest?.seconds.toFixed(0)} s, up after ${deployment.boot?.seconds.toFixed(0)} s`,
      );
      expect(await lab.difference('web', files)).toBeUndefined();
      const [floating, fixed] = deployment.server?.addresses ?? [];

      const { server } = await lab.api.call<{ server: Server }>('compute', 'GET', `/servers/${deployment.server?.id}`);
      expect(server).toMatchObject({
        status: 'ACTIVE',
        key_name: 'ops-key',
        flavor: { original_name: 'rig.small' },
        metadata: { environment: 'production', cost: 'a/b', 'managed-by': 'causeway' },
        tags: ['environment=production'],
      });
      const [attached] = server['os-extended-volumes:volumes_attached'];
      expect(attached).toMatchObject({ delete_on_termination: false });
      const { volume } = await lab.api.call<{
        volume: { bootable: string; volume_type: string; volume_image_metadata: object };
      }>('block-storage', 'GET', `/volumes/${attached?.id}`);
      expect(volume).toMatchObject({
        bootable: 'true',
        volume_type: 'standard',
        volume_image_metadata: {
          os_type: 'linux',
          hypervisor_type: 'qemu',
          hw_disk_bus: 'virtio',
          hw_vif_model: 'virtio',
          hw_firmware_type: 'bios',
        },
      });
      const { ports } = await lab.api.call<{
        ports: { mac_address: string; fixed_ips: { ip_address: string }[]; security_groups: string[] }[];
      }>('network', 'GET', `/v2.0/ports?device_id=${server.id}`);
      const {
        security_groups: [open],
      } = await lab.api.call<{ security_groups: { id: string }[] }>(
        'network',
        'GET',
        '/v2.0/security-groups?name=open',
      );
      expect(ports).toMatchObject([
        { mac_address: mac, fixed_ips: [{ ip_address: fixed }], security_groups: [open?.id] },
      ]);
      const {
        server_groups: [group],
      } = await lab.api.call<{ server_groups: { members: string[] }[] }>('compute', 'GET', '/os-server-groups');
      expect(group?.members).toEqual([server.id]);

      const ssh = await guestOn(floating, lab.folder);
      const shown = await ssh.text(
        'cd /srv/data; sha256sum changed late; ls /sys/bus/virtio/drivers/virtio_blk/ | grep -c virtio; for nic in /sys/class/net/e*; do cat $nic/address; done; ip -4 -o addr | grep -o "inet 10.72[^ ]*"',
      );
      stage(`the guest says: ${shown.replaceAll('\n', ', ')}`);
      expect(shown.split('\n')).toEqual([...late.split('\n'), '1', mac, `inet ${fixed}/24`]);

      await lab.use((core) => core.call('deployment.delete', { deployment: deployment.id, dryRun: false }));
      expect(await leftKinds()).toEqual(['volume']);
      expect(await lab.difference('web', files)).toBeUndefined();
    },
    60 * minute,
  );
});
