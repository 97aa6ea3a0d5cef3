import { createEuropeanCloudDestination } from '../../electron/engine/platforms/european-cloud/european-cloud-destination.ts';
import { describeDestinationPlatform, type CallFault, type DestinationLab } from '../conformance/destination-platform.ts';
import type { FaultEffect } from '../rigs/european-cloud/faults.ts';
import { hurriedClock } from '../rigs/hurried-clock.ts';
import { startEuropeanCloud } from '../rigs/european-cloud/start.ts';
import { enterWorker } from '../rigs/machines/enter-worker.ts';
import { labMachines, usualWorkerKind } from '../rigs/machines/kinds.ts';
import { resolveAddress } from '../rigs/machines/reachable-port.ts';

const effects: Readonly<Record<CallFault, FaultEffect>> = {
  'refused-for-now': '500',
  throttled: '429',
  'cut-before': 'connection-reset',
  'gateway-error-after': '502-after',
  'cut-after': 'connection-reset-after',
  'never-answered': 'no-answer',
  'fails-later': 'status-error',
};

async function europeanCloudLab(behind: 'records' | 'machines'): Promise<DestinationLab> {
  const machines = behind === 'machines' ? { machines: labMachines({ worker: usualWorkerKind }) } : {};
  const cloud = await startEuropeanCloud({ transitionMs: 3, ...machines });
  const key = cloud.serviceAccountKey;
  const wrongKey = { ...key, credentials: { ...key.credentials, kid: '00000000-0000-4000-8000-000000000000' } };
  const connection = (serviceAccountKey: object): object => ({
    project_id: cloud.projectId,
    region_name: cloud.region.toUpperCase(),
    service_account_key: Buffer.from(JSON.stringify(serviceAccountKey)).toString('base64'),
    iaas_url: cloud.urls.iaas,
  });
  return {
    open: (which = 'right') =>
      createEuropeanCloudDestination(connection(which === 'right' ? key : wrongKey), {
        clock: hurriedClock(4),
        timing: { requestMs: behind === 'machines' ? 10_000 : 250, pollFirstMs: 2, pollCapMs: 5, attachMs: 10_000, removeMs: 10_000, volumeMs: 10_000, serverMs: 20_000 },
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
      id: 'vm', name: 'web', os_type: 'linux', vcpus: 1, memory_mb: 2048,
      disks: [{ id: 'disk/0 [ds1] web.vmdk', size_bytes: 2 * 2 ** 30 }, { id: 'disk-1', size_bytes: 700 * 2 ** 20 }],
      nics: [{ id: 'nic-0', network: 'VM Network' }],
    },
    inventory: () => cloud.world.leftovers(),
    volumeGib: (id) => cloud.world.volumes.get(id)?.size,
    loseVolume: (id) => void cloud.world.volumes.delete(id),
    callCount: () => cloud.calls.length,
    callName: (number) => cloud.calls[number - 1]?.operation ?? 'none',
    callChanges: (number) => cloud.calls[number - 1]?.method !== 'GET',
    failCall: (n, fault) => cloud.faults.add({ operation: '*', nth: n, effect: effects[fault] }),
    clearFaults: () => cloud.faults.clear(),
    violations: () => cloud.violations,
    ...(behind === 'machines' ? { enter: enterWorker } : {}),
    close: () => cloud.close(),
  };
}

describeDestinationPlatform('european-cloud', () => europeanCloudLab('records'));
describeDestinationPlatform('european-cloud with machines', () => europeanCloudLab('machines'), 'machines');
