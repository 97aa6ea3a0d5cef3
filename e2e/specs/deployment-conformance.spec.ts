import { open } from 'node:fs/promises';
import { createEuropeanCloudDestination } from '../../electron/engine/platforms/european-cloud/european-cloud-destination.ts';
import type { Vm } from '../../shared/model/vm.ts';
import type { DeploymentLab } from '../conformance/deployment-lab.ts';
import { describeDeploymentPlatform } from '../conformance/deployment-platform.ts';
import { europeanCloudConnection, startEuropeanCloudWithCalls } from '../conformance/european-cloud-calls.ts';
import { patientRequestMs } from '../rigs/hurried-clock.ts';

const gib = 2 ** 30;
const markBytes = 64;
const vm: Vm = {
  id: 'vm',
  name: 'Größe_web 01',
  os_type: 'linux',
  vcpus: 2,
  memory_mb: 4096,
  firmware: 'bios',
  disks: [
    { id: 'data', size_bytes: gib },
    { id: 'root', size_bytes: 2 * gib, bootable: true },
  ],
  nics: [
    { id: 'n0', network: 'lan', ip_addresses: ['fe80::1', '10.20.0.17'] },
    { id: 'n1', network: 'mgmt', ip_addresses: ['10.30.0.18'] },
  ],
};

async function europeanCloudLab(): Promise<DeploymentLab> {
  const { cloud, calls, clock } = await startEuropeanCloudWithCalls();
  return {
    ...calls,
    open: () =>
      createEuropeanCloudDestination(europeanCloudConnection(cloud), {
        clock,
        timing: {
          requestMs: patientRequestMs,
          pollFirstMs: 2,
          pollCapMs: 5,
          volumeMs: 10_000,
          serverMs: 10_000,
          attachMs: 10_000,
          removeMs: 10_000,
        },
      }),
    environment: {
      network_map: { lan: 'production', mgmt: 'backup' },
      availability_zone: 'eu01-1',
      migr_image_map: { linux: 'Debian 12' },
      migr_network: 'migration',
      migr_machine_type: 'g1.2',
      storage_mappings: { default: 'storage_premium_perf2' },
      use_public_ip: true,
    },
    vm,
    refused: [
      {
        about: 'an address out of range',
        environment: { preserve_fixed_ips: true, network_map: { lan: 'backup', mgmt: 'backup' } },
        code: 'cloud.address-out-of-range',
      },
      {
        about: 'a key of metadata that the cloud does not have',
        environment: { custom_boot_volume_image_metadata: { colour: 'red' } },
        code: 'general.invalid-input',
      },
      {
        about: 'a label that the cloud does not take',
        environment: { server_labels: ['no way'] },
        code: 'general.invalid-input',
      },
      { about: 'an unknown security group', environment: { security_groups: ['ghosts'] }, code: 'cloud.name-unknown' },
      {
        about: 'a network without a mapping',
        environment: { network_map: { lan: 'production' } },
        code: 'cloud.parameter-missing',
      },
      { about: 'Windows without a machine type', vm: { os_type: 'windows' }, code: 'cloud.parameter-missing' },
    ],
    inventory: () => cloud.world.leftovers(),
    async writeMark(volumeId, mark) {
      await using file = await open(cloud.volumePath(volumeId), 'r+');
      await file.write(Buffer.from(mark.padEnd(markBytes)), 0, markBytes, 2 ** 20);
    },
    async readMark(volumeId) {
      await using file = await open(cloud.volumePath(volumeId));
      return (await file.read(Buffer.alloc(markBytes), 0, markBytes, 2 ** 20)).buffer.toString().trimEnd();
    },
    async server(id) {
      const server = cloud.world.servers.get(id);
      if (server === undefined) return undefined;
      const config = cloud.world.volumes.get(server.bootVolume.id ?? '')?.imageConfig;
      return {
        isRunning: server.status === 'ACTIVE' && server.powerStatus === 'RUNNING',
        volumeIds: [...server.attachments.keys()],
        nics: [...cloud.world.nics.values()]
          .filter((nic) => nic.device === id)
          .map((nic) => ({ id: nic.id, macAddress: nic.mac })),
        firmware: config?.uefi === true ? 'uefi' : 'bios',
      };
    },
    violations: () => cloud.violations,
    close: () => cloud.close(),
  };
}

describeDeploymentPlatform('european-cloud', europeanCloudLab);
