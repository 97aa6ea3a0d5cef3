import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOpenStackDestination } from '../../electron/engine/platforms/open-source-cloud/destination/openstack-destination.ts';
import { cutRequests } from '../conformance/cut-requests.ts';
import type { DeploymentLab } from '../conformance/deployment-lab.ts';
import { describeDeploymentPlatform } from '../conformance/deployment-platform.ts';
import { run } from '../rigs/machines/child-process.ts';
import { workingEnvironment } from '../rigs/open-source-cloud/destination-environment.ts';
import { inventoryOf } from '../rigs/open-source-cloud/inventory.ts';
import { startOpenSourceCloud } from '../rigs/open-source-cloud/start.ts';

const gib = 2 ** 30;
const markBytes = 512;
const calls = cutRequests();

interface Server {
  readonly status: string;
  readonly 'OS-EXT-SRV-ATTR:instance_name': string;
}

async function openSourceCloudLab(): Promise<DeploymentLab> {
  const cloud = await startOpenSourceCloud();
  const [api, admin] = [await cloud.api('target'), await cloud.api('admin')];
  const folder = await mkdtemp(join(tmpdir(), 'causeway-deployment-lab-'));
  // Those of the suite; other specs may use the project at the same time.
  const ours = /^replica-\d+$/;
  const before = new Set(await inventoryOf(api, ours));
  const image = (volumeId: string): string =>
    `json:${JSON.stringify({ driver: 'raw', file: { driver: 'rbd', pool: 'volumes', image: `volume-${volumeId}`, conf: cloud.cephConfiguration } })}`;
  return {
    ...calls,
    open: () =>
      createOpenStackDestination(cloud.connection('target'), {
        timing: { pollFirstMs: 300, pollCapMs: 1_500, attachMs: 120_000, removeMs: 60_000 },
      }),
    environment: { ...workingEnvironment(api, 'VM Network'), security_groups: ['open'] },
    vm: {
      id: 'vm',
      name: 'web',
      os_type: 'linux',
      vcpus: 1,
      memory_mb: 512,
      firmware: 'bios',
      disks: [
        { id: 'data', size_bytes: gib },
        { id: 'root', size_bytes: gib, bootable: true },
      ],
      nics: [
        { id: 'nic-0', network: 'VM Network' },
        { id: 'nic-1', network: 'VM Network' },
      ],
    },
    refused: [
      {
        about: 'an address out of range',
        environment: { preserve_fixed_ips: true, network_map: { 'VM Network': 'outside' } },
        vm: { nics: [{ id: 'nic-0', network: 'VM Network', ip_addresses: ['10.72.0.121'] }] },
        code: 'cloud.address-out-of-range',
      },
      {
        about: 'an unknown network',
        environment: { network_map: { 'VM Network': 'nowhere' } },
        code: 'cloud.name-unknown',
      },
      { about: 'a network without a mapping', environment: { network_map: {} }, code: 'cloud.parameter-missing' },
      { about: 'an unknown flavor', environment: { flavor_name: 'rig.huge' }, code: 'cloud.name-unknown' },
      { about: 'an unknown security group', environment: { security_groups: ['closed'] }, code: 'cloud.name-unknown' },
      { about: 'an unknown server group', environment: { server_group: 'none' }, code: 'cloud.name-unknown' },
      { about: 'an unknown key pair', environment: { keypair_name: 'none' }, code: 'cloud.name-unknown' },
      {
        about: 'floating IPs of a network that is not outside',
        environment: { use_floating_ip: true, floating_ip_pool: 'inside' },
        code: 'cloud.name-unknown',
      },
      {
        about: 'tags that are too long',
        environment: { instance_tags: { key: 'v'.repeat(300) } },
        code: 'general.invalid-input',
      },
    ],
    inventory: async () => (await inventoryOf(api, ours)).filter((line) => !before.has(line)),
    async writeMark(volumeId, mark) {
      const file = join(folder, 'mark');
      await writeFile(file, mark.padEnd(markBytes));
      await run('qemu-io', ['-c', `write -q -s ${file} 1M ${markBytes}`, '-c', 'flush', image(volumeId)]);
    },
    async readMark(volumeId) {
      const file = join(folder, 'read');
      // QEMU 7.2 counts from the beginning of the input, whatever it skips; later ones from where they begin, and give more than is looked at.
      const before = 2 ** 20 / markBytes;
      await run('qemu-img', [
        'dd',
        '-O',
        'raw',
        `bs=${markBytes}`,
        `skip=${before}`,
        `count=${before + 1}`,
        `if=${image(volumeId)}`,
        `of=${file}`,
      ]);
      return (await readFile(file, 'utf8')).slice(0, markBytes).trimEnd();
    },
    async server(id) {
      const server = await admin.call<{ server: Server }>('compute', 'GET', `/servers/${id}`).then(
        (answer) => answer.server,
        () => undefined,
      );
      if (server === undefined) return undefined;
      // The order of its devices is the hypervisor's to tell.
      const domain = await run('virsh', [
        '-q',
        '-c',
        `qemu+unix:///system?socket=${join(cloud.folder, 'libvirt', 'libvirt-sock')}`,
        'dumpxml',
        server['OS-EXT-SRV-ATTR:instance_name'],
      ]);
      const macs = [...domain.matchAll(/<mac address='([^']+)'/g)].map(([, mac]) => mac ?? '');
      const { ports } = await api.call<{ ports: { id: string; mac_address: string }[] }>(
        'network',
        'GET',
        `/v2.0/ports?device_id=${id}`,
      );
      const { volumeAttachments } = await api.call<{ volumeAttachments: { volumeId: string; device: string }[] }>(
        'compute',
        'GET',
        `/servers/${id}/os-volume_attachments`,
      );
      return {
        isRunning: server.status === 'ACTIVE',
        volumeIds: volumeAttachments
          .toSorted((a, b) => a.device.localeCompare(b.device))
          .map(({ volumeId }) => volumeId),
        nics: macs.map((macAddress) => ({
          id: ports.find((port) => port.mac_address === macAddress)?.id ?? '',
          macAddress,
        })),
        firmware: domain.includes('<loader') ? 'uefi' : 'bios',
      };
    },
    violations: () => [],
    async close() {
      await rm(folder, { recursive: true, force: true });
      await cloud.close();
    },
  };
}

// A deployment takes half a minute there.
describeDeploymentPlatform('open-source cloud', openSourceCloudLab, { faults: 3, crashes: 2 });
