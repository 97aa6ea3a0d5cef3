import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeploymentDetail, DeploymentOptions } from '../../shared/model/deployment.ts';
import { debianGuest } from '../rigs/guests/morph-lab.ts';
import { ensureDebianGuest } from '../rigs/images/ensure.ts';
import { startOpenSourceLab, type OpenSourceLab } from '../rigs/open-source-cloud/project-lab.ts';
import { startPackageProxy } from '../rigs/open-source-cloud/package-proxy.ts';
import { RigSsh } from '../rigs/rig-ssh.ts';

const minute = 60_000;
const mac = '52:54:00:aa:00:07';
const kept = '10.72.0.77';

interface Server {
  readonly id: string;
  readonly status: string;
  readonly metadata: Record<string, string>;
  readonly tags: readonly string[];
  readonly key_name: string;
  readonly flavor: { readonly original_name: string };
  readonly 'os-extended-volumes:volumes_attached': readonly { readonly id: string; readonly delete_on_termination: boolean }[];
}

function stage(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}

describe('a real guest, deployed on the open-source cloud', () => {
  let lab: OpenSourceLab;
  let proxy: Awaited<ReturnType<typeof startPackageProxy>>;
  let guest: string;

  beforeAll(async () => {
    lab = await startOpenSourceLab();
    proxy = await startPackageProxy();
    const folder = join(lab.images, 'web');
    await mkdir(folder);
    guest = join(folder, 'disk.raw');
    await debianGuest(guest);
    await writeFile(join(folder, 'vm.yaml'), `name: web\nvcpus: 1\nmemory_mb: 512\nnics:\n  - network: default\n    mac_address: ${mac}\n    ip_addresses: [${kept}]\n`);
    await lab.api.call('compute', 'POST', '/os-keypairs', { keypair: { name: 'ops-key', public_key: await publicKey() } }).catch(() => undefined);
    await lab.api.call('compute', 'POST', '/os-server-groups', { server_group: { name: 'web-group', policy: 'soft-anti-affinity' } }).catch(() => undefined);
    await lab.createReplica('web', 'web', {
      preserve_fixed_ips: true, use_floating_ip: true, floating_ip_pool: 'outside', hypervisor_type: 'qemu', keypair_name: 'ops-key', server_group: 'web-group',
      instance_tags: { environment: 'production', cost: 'a/b' },
    });
    const execution = await lab.execute('web');
    expect(execution, `${execution.error?.code}: ${execution.error?.message}`).toMatchObject({ state: 'completed' });
    expect(await lab.difference('web', { 'disk.raw': guest })).toBeUndefined();
    stage('replicated');
  }, 15 * minute);
  afterAll(async () => {
    await proxy?.close();
    for (const { id } of (await lab?.api.call<{ server_groups: { id: string }[] }>('compute', 'GET', '/os-server-groups'))?.server_groups ?? []) {
      await lab.api.call('compute', 'DELETE', `/os-server-groups/${id}`);
    }
    await lab?.api.call('compute', 'DELETE', '/os-keypairs/ops-key');
    await lab?.close();
  });

  const deploy = (options: DeploymentOptions = {}): Promise<DeploymentDetail> => lab.deploy('web', { httpProxy: proxy.url, bootCheck: { mode: 'network' }, ...options });

  it('boots under Nova with its addresses, and the cloud has what the environment asked for', async () => {
    const deployment = await deploy();
    expect(deployment, `${deployment.error?.code}: ${deployment.error?.message}\n${deployment.boot?.console.slice(-3000)}`).toMatchObject({
      state: 'completed', leftBehind: 0, boot: { outcome: 'up' },
    });
    stage(`deployed, guest prepared in ${deployment.guest?.seconds.toFixed(0)} s, up after ${deployment.boot?.seconds.toFixed(0)} s`);
    const [floating, fixed] = deployment.server?.addresses ?? [];
    expect(fixed).toBe(kept);

    const { server } = await lab.api.call<{ server: Server }>('compute', 'GET', `/servers/${deployment.server?.id}`);
    expect(server).toMatchObject({
      status: 'ACTIVE', key_name: 'ops-key', flavor: { original_name: 'rig.small' }, metadata: { environment: 'production', cost: 'a/b', 'managed-by': 'causeway' },
      tags: ['environment=production'],
    });
    const [attached] = server['os-extended-volumes:volumes_attached'];
    expect(attached).toMatchObject({ delete_on_termination: false });
    const { volume } = await lab.api.call<{ volume: { bootable: string; volume_type: string; volume_image_metadata: object } }>('block-storage', 'GET', `/volumes/${attached?.id}`);
    expect(volume).toMatchObject({
      bootable: 'true', volume_type: 'standard',
      volume_image_metadata: { os_type: 'linux', hypervisor_type: 'qemu', hw_disk_bus: 'virtio', hw_vif_model: 'virtio', hw_firmware_type: 'bios' },
    });
    const { ports } = await lab.api.call<{ ports: { mac_address: string; fixed_ips: { ip_address: string }[]; security_groups: string[] }[] }>(
      'network', 'GET', `/v2.0/ports?device_id=${server.id}`,
    );
    const { security_groups: [open] } = await lab.api.call<{ security_groups: { id: string }[] }>('network', 'GET', '/v2.0/security-groups?name=open');
    expect(ports).toMatchObject([{ mac_address: mac, fixed_ips: [{ ip_address: kept }], security_groups: [open?.id] }]);
    const { server_groups: [group] } = await lab.api.call<{ server_groups: { members: string[] }[] }>('compute', 'GET', '/os-server-groups');
    expect(group?.members).toEqual([server.id]);

    const keyPath = join(lab.folder, 'guest-key');
    await copyFile(join(await ensureDebianGuest(), 'id_ed25519'), keyPath);
    const ssh = new RigSsh({ host: floating ?? '', port: 22, user: 'root', keyPath });
    await ssh.waitUntilUp(3 * minute);
    const shown = await ssh.text('hostname; ls /sys/bus/virtio/drivers/virtio_blk/ | grep -c virtio; for nic in /sys/class/net/e*; do cat $nic/address; done; ip -4 -o addr | grep -o "inet 10.72[^ ]*"');
    stage(`the guest says: ${shown.replaceAll('\n', ', ')}`);
    expect(shown).toContain(mac);
    expect(shown).toContain(`inet ${kept}/24`);

    await lab.use((core) => core.call('deployment.delete', { deployment: deployment.id, dryRun: false }));
    expect((await lab.leftovers()).map((line) => line.split(' ')[0])).toEqual(['volume']);
    expect(await lab.difference('web', { 'disk.raw': guest })).toBeUndefined();
  }, 30 * minute);

  it('leaves nothing but its replica when no host takes it', async () => {
    await lab.use((core) => core.call('replica.update', { replica: 'web', destinationEnvironment: { ...lab.environment, hypervisor_type: 'hyperv' } }));
    const failed = await deploy({ skipMorphing: true, bootCheck: { mode: 'none' } });
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'cloud.operation-failed' }, leftBehind: 0, resources: [] });
    expect(failed.error?.message).toMatch(/No valid host/);
    expect((await lab.leftovers()).map((line) => line.split(' ')[0])).toEqual(['volume']);
    expect(await lab.difference('web', { 'disk.raw': guest })).toBeUndefined();
  }, 15 * minute);
});

async function publicKey(): Promise<string> {
  return (await readFile(join(await ensureDebianGuest(), 'id_ed25519.pub'), 'utf8')).trim();
}
