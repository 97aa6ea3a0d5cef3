import { setTimeout as sleep } from 'node:timers/promises';
import { createOpenStackDestination } from '../../electron/engine/platforms/open-source-cloud/destination/openstack-destination.ts';
import { cutRequests } from '../conformance/cut-requests.ts';
import { describeDestinationPlatform, type DestinationLab } from '../conformance/destination-platform.ts';
import { workingEnvironment } from '../rigs/open-source-cloud/destination-environment.ts';
import { inventoryOf } from '../rigs/open-source-cloud/inventory.ts';
import { enterWorker } from '../rigs/machines/enter-worker.ts';
import { startOpenSourceCloud } from '../rigs/open-source-cloud/start.ts';

const gib = 2 ** 30;

const calls = cutRequests();

async function openSourceCloudLab(): Promise<DestinationLab> {
  const cloud = await startOpenSourceCloud();
  const api = await cloud.api('target');
  // Those of the suite; other specs may use the project at the same time.
  const ours = /^replica-\d+$/;
  const before = new Set(await inventoryOf(api, ours));
  return {
    ...calls,
    open: (which = 'right') =>
      createOpenStackDestination(
        { ...cloud.connection('target'), ...(which === 'right' ? {} : { password: 'another' }) },
        { timing: { pollFirstMs: 300, pollCapMs: 1_500, attachMs: 120_000 } },
      ),
    // The catalog has all networks; the choices have them when they are asked for.
    environment: { ...workingEnvironment(api, 'VM Network'), list_all_destination_networks: true },
    vm: {
      id: 'vm',
      name: 'web',
      os_type: 'linux',
      vcpus: 1,
      memory_mb: 512,
      disks: [
        { id: 'disk/0 [ds1] web.vmdk', size_bytes: 2 * gib },
        { id: 'disk-1', size_bytes: 700 * 2 ** 20 },
      ],
      nics: [{ id: 'nic-0', network: 'VM Network' }],
    },
    inventory: async () => (await inventoryOf(api, ours)).filter((line) => !before.has(line)),
    volumeGib: async (id) =>
      (await api.call<{ volume: { size: number } }>('block-storage', 'GET', `/volumes/${id}`)).volume.size,
    async loseVolume(id) {
      await api.call('block-storage', 'DELETE', `/volumes/${id}`);
      while ((await inventoryOf(api)).some((line) => line.includes(id))) await sleep(300);
    },
    violations: () => [],
    enter: enterWorker,
    close: () => cloud.close(),
  };
}

describeDestinationPlatform('open-source cloud', openSourceCloudLab, 'machines');
