import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEuropeanCloudDestination } from '../../electron/engine/platforms/european-cloud/european-cloud-destination.ts';
import type { DeploymentPlatform, DeploymentRun } from '../../electron/engine/ports/deployment-platform.ts';
import type { DestinationPlatform, Volume } from '../../electron/engine/ports/destination-platform.ts';
import { ledgerScope } from '../../electron/engine/store/ledger.ts';
import { openStore, type Store } from '../../electron/engine/store/store.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import type { Vm } from '../../shared/model/vm.ts';
import { closeAll } from '../rigs/closing.ts';
import { hurriedClock } from '../rigs/hurried-clock.ts';
import { startEuropeanCloud, type EuropeanCloud } from '../rigs/european-cloud/start.ts';
import { startWorkerWith } from '../../electron/engine/workers/attach-volumes.ts';

/** What only this platform has: what its environment makes of a server. The rest is in deployment-conformance.spec.ts. */

const signal = new AbortController().signal;
const gib = 2 ** 30;
const vm: Vm = {
  id: 'vm-1',
  name: 'Größe_web 01',
  os_type: 'linux',
  vcpus: 2,
  memory_mb: 4096,
  firmware: 'uefi',
  secure_boot: true,
  disks: [
    { id: 'data', size_bytes: gib },
    { id: 'root', size_bytes: 2 * gib, bootable: true },
  ],
  nics: [
    { id: 'n0', network: 'lan', ip_addresses: ['fe80::1', '10.20.0.17'] },
    { id: 'n1', network: 'mgmt', ip_addresses: ['10.30.0.18'] },
  ],
};
const environment: JsonObject = {
  network_map: { lan: 'production', mgmt: 'backup' },
  availability_zone: 'eu01-1',
  migr_image_map: { linux: 'Debian 12' },
  migr_network: 'migration',
  migr_machine_type: 'g1.2',
  storage_mappings: { default: 'storage_premium_perf2' },
};

let cloud: EuropeanCloud;
let folder: string;
let store: Store;
let platform: DestinationPlatform;
let deployment: DeploymentPlatform;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-deployment-'));
  store = openStore(folder, undefined, hurriedClock(20));
  cloud = await startEuropeanCloud({ transitionMs: 2 });
  open();
});
afterEach(() =>
  closeAll(
    () => expect(cloud.violations).toEqual([]),
    () => cloud.close(),
    () => store.close(),
    () => rmSync(folder, { recursive: true, force: true }),
  ),
);

/** As a new process would. */
function open(): void {
  platform = createEuropeanCloudDestination(
    {
      project_id: cloud.projectId,
      region_name: cloud.region,
      service_account_key: JSON.stringify(cloud.serviceAccountKey),
      iaas_url: cloud.urls.iaas,
    },
    {
      clock: hurriedClock(4),
      timing: {
        requestMs: 2_000,
        pollFirstMs: 2,
        pollCapMs: 5,
        volumeMs: 10_000,
        serverMs: 10_000,
        attachMs: 10_000,
        removeMs: 10_000,
      },
    },
  );
  if (platform.deployment === undefined) throw new Error('no deployments');
  deployment = platform.deployment;
}

let notes: string[] = [];
function runOf(deploymentId: string, more: JsonObject = {}, of: Vm = vm): DeploymentRun {
  notes = [];
  return {
    replicaId: 'replica',
    executionId: deploymentId,
    deploymentId,
    preparationRole: 'osmorphing-linux',
    vm: of,
    environment: { ...environment, ...more },
    ledger: ledgerScope(store.ledger, { endpointId: 'endpoint', replicaId: 'replica', executionId: deploymentId }),
    note: (message) => void notes.push(message),
  };
}

async function deploy(run: DeploymentRun): Promise<{ serverId: string; volumes: readonly Volume[] }> {
  const replica = await platform.ensureVolumes(run, run.vm.disks, signal);
  const plan = await deployment.plan(run, replica, signal);
  const snapshots = await deployment.snapshotVolumes(run, replica, signal);
  const volumes = await deployment.volumesFromSnapshots(run, snapshots, signal);
  const nics = await deployment.createNics(run, plan, signal);
  await startWorkerWith(platform, run, 'osmorphing-linux', volumes, signal);
  await platform.stopWorker(run, 'osmorphing-linux', signal);
  const server = await deployment.createServer(run, plan, volumes, nics, signal);
  await deployment.deleteSnapshots(run, signal);
  return { serverId: server.id, volumes };
}

const kinds = (): string[] =>
  cloud.world
    .leftovers()
    .map((line) => line.split(' ')[0] ?? '')
    .sort();

describe('a deployment', () => {
  it('makes the server that the environment describes, from volumes of its own', async () => {
    const more = {
      machine_type: 'g1.4',
      server_labels: ['env=prod', 'migrated'],
      server_properties: { owner: 'me', level: 3 },
      use_public_ip: true,
      use_config_drive: true,
      delete_disks_on_server_termination: true,
      preserve_fixed_ips: true,
      disk_bus: 'scsi',
      security_groups: ['default'],
      default_custom_boot_volume_image_metadata: { video_model: 'vga', nic_model: 'e1000' },
      custom_boot_volume_image_metadata: { nic_model: 'virtio', secure_boot: false },
    };
    const { serverId, volumes } = await deploy(runOf('d1', more));
    const server = cloud.world.servers.get(serverId);
    const [data, root] = volumes.map((volume) => cloud.world.volumes.get(volume.id));
    expect(server).toMatchObject({
      name: 'Gro-e-web-01',
      machineType: 'g1.4',
      availabilityZone: 'eu01-1',
      status: 'ACTIVE',
      configDrive: true,
      metadata: { owner: 'me', level: '3' },
      bootVolume: { id: root?.id, deleteOnTermination: true },
      attachments: new Map([
        [root?.id, true],
        [data?.id, false],
      ]),
    });
    expect(server?.labels).toMatchObject({ env: 'prod', migrated: '', 'managed-by': 'causeway' });
    expect(root).toMatchObject({
      bootable: true,
      size: 2,
      performanceClass: 'storage_premium_perf2',
      status: 'ATTACHED',
      imageConfig: {
        operatingSystem: 'linux',
        uefi: true,
        secureBoot: false,
        diskBus: 'scsi',
        virtioScsi: true,
        videoModel: 'vga',
        nicModel: 'virtio',
      },
    });
    expect(data).toMatchObject({ bootable: false, imageConfig: { diskBus: 'scsi', virtioScsi: true } });
    const nics = [...cloud.world.nics.values()].filter((nic) => nic.device === serverId);
    expect(nics.map((nic) => nic.ipv4)).toEqual(['10.20.0.17', '10.30.0.18']);
    expect(nics.every((nic) => nic.securityGroups.length === 1)).toBe(true);
    expect([...cloud.world.publicIps.values()].map((ip) => ip.networkInterface)).toEqual([nics[0]?.id]);
    expect(kinds()).toEqual(['nic', 'nic', 'public-ip', 'server', 'volume', 'volume', 'volume', 'volume']);
  });

  it('picks the smallest machine type that fits, and says which', async () => {
    const { serverId } = await deploy(runOf('d1'));
    expect(cloud.world.servers.get(serverId)?.machineType).toBe('c2i.2');
    expect(notes.join('\n')).toContain('c2i.2');
  });

  it.each([
    ['CreateSnapshot', 1],
    ['CreateSnapshot', 2],
    // The first two are the replica's own.
    ['CreateVolume', 3],
    ['CreateVolume', 4],
    // The first one is the worker.
    ['CreateServer', 2],
  ] as const)(
    'that meets a failed %s (number %i) removes it, so that the next attempt makes a new one',
    async (operation, nth) => {
      const run = runOf('d1');
      cloud.faults.add({ operation, nth, effect: 'status-error' });
      await expect(deploy(run)).rejects.toMatchObject({ code: 'cloud.operation-failed', retryable: true });
      const { serverId } = await deploy(run);
      expect(cloud.world.servers.get(serverId)?.status).toBe('ACTIVE');
      expect(kinds()).toEqual(['nic', 'nic', 'server', 'volume', 'volume', 'volume', 'volume']);
    },
  );

  it('whose server takes its volumes with it leaves a failed one to the roll-back', async () => {
    const run = runOf('d1', { delete_disks_on_server_termination: true });
    cloud.faults.add({ operation: 'CreateServer', nth: 2, effect: 'status-error' });
    await expect(deploy(run)).rejects.toMatchObject({ code: 'cloud.operation-failed' });
    expect([...cloud.world.servers.values()].map((server) => server.status)).toEqual(['ERROR']);
    expect(cloud.world.volumes.size).toBe(4);
    await deployment.rollBack(run, signal);
    await deployment.deleteSnapshots(run, signal);
    expect(kinds()).toEqual(['volume', 'volume']);
  });
});
