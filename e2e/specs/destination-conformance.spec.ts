import { createEuropeanCloudDestination } from '../../electron/engine/platforms/european-cloud/european-cloud-destination.ts';
import { describeDestinationPlatform, type DestinationLab } from '../conformance/destination-platform.ts';
import { describeOwnVm, type OwnVmLab } from '../conformance/own-vm.ts';
import { europeanCloudConnection, startEuropeanCloudWithCalls } from '../conformance/european-cloud-calls.ts';
import { RigClient } from '../rigs/european-cloud/rig-client.ts';
import type { EuropeanCloud } from '../rigs/european-cloud/start.ts';
import { startUserVm } from '../rigs/european-cloud/user-vm.ts';
import { patientRequestMs } from '../rigs/hurried-clock.ts';
import { enterWorker } from '../rigs/machines/enter-worker.ts';
import { labMachines, usualWorkerKind } from '../rigs/machines/kinds.ts';
import { resolveAddress } from '../rigs/machines/reachable-port.ts';

async function europeanCloudLab(
  behind: 'records' | 'machines',
): Promise<DestinationLab & { readonly cloud: EuropeanCloud }> {
  const { cloud, calls, clock } = await startEuropeanCloudWithCalls(
    behind === 'machines' ? { machines: labMachines({ worker: usualWorkerKind }) } : {},
  );
  const key = cloud.serviceAccountKey;
  const wrongKey = { ...key, credentials: { ...key.credentials, kid: '00000000-0000-4000-8000-000000000000' } };
  return {
    ...calls,
    cloud,
    open: (which = 'right') =>
      createEuropeanCloudDestination(europeanCloudConnection(cloud, which === 'right' ? key : wrongKey), {
        clock,
        timing: {
          requestMs: patientRequestMs,
          pollFirstMs: 2,
          pollCapMs: 5,
          attachMs: 10_000,
          removeMs: 10_000,
          volumeMs: 10_000,
          serverMs: 20_000,
        },
        resolveAddress,
      }),
    environment: {
      network_map: { 'VM Network': 'production' },
      availability_zone: 'eu01-1',
      migr_image_map: { linux: 'Debian 12' },
      migr_network: 'migration',
      migr_machine_type: 'g1.2',
      storage_mappings: { default: 'storage_premium_perf1' },
    },
    vm: {
      id: 'vm',
      name: 'web',
      os_type: 'linux',
      vcpus: 1,
      memory_mb: 2048,
      disks: [
        { id: 'disk/0 [ds1] web.vmdk', size_bytes: 2 * 2 ** 30 },
        { id: 'disk-1', size_bytes: 700 * 2 ** 20 },
      ],
      nics: [{ id: 'nic-0', network: 'VM Network' }],
    },
    inventory: () => cloud.world.leftovers(),
    volumeGib: (id) => cloud.world.volumes.get(id)?.size,
    loseVolume: (id) => void cloud.world.volumes.delete(id),
    violations: () => cloud.violations,
    ...(behind === 'machines' ? { enter: enterWorker } : {}),
    close: () => cloud.close(),
  };
}

describeDestinationPlatform('european-cloud', () => europeanCloudLab('records'));
describeDestinationPlatform('european-cloud with machines', () => europeanCloudLab('machines'), 'machines');
describeOwnVm('european-cloud', async (): Promise<OwnVmLab> => {
  const lab = await europeanCloudLab('records');
  const { cloud } = lab;
  const client = new RigClient(cloud);
  await client.signIn();
  const bootVolumeOf = (vmId: string): string | undefined => cloud.world.servers.get(vmId)?.bootVolume.id;
  return {
    ...lab,
    startVm: () => startUserVm(client, 'mover'),
    tells: (vmId) => ({
      path: '/openstack/latest/meta_data.json',
      document: { uuid: vmId, name: 'mover' },
      productUuid: vmId,
    }),
    attachedTo: (vmId) =>
      [...cloud.world.volumes.values()]
        .filter(({ id, serverId }) => serverId === vmId && id !== bootVolumeOf(vmId))
        .map(({ id }) => id),
    runs: (vmId) => cloud.world.servers.get(vmId)?.status === 'ACTIVE',
    async stopVm(vmId) {
      await client.call('POST', `servers/${vmId}/stop`);
      await client.waitFor(`servers/${vmId}`, 'INACTIVE');
    },
  };
});
