import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEuropeanCloudDestination } from '../../electron/engine/platforms/european-cloud/european-cloud-destination.ts';
import type { EuropeanCloudContext } from '../../electron/engine/platforms/european-cloud/session.ts';
import type { DestinationPlatform, DestinationRun } from '../../electron/engine/ports/destination-platform.ts';
import { ledgerScope } from '../../electron/engine/store/ledger.ts';
import { openStore, type Store } from '../../electron/engine/store/store.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import type { Vm } from '../../shared/model/vm.ts';
import { closeAll } from '../rigs/closing.ts';
import { hurriedClock } from '../rigs/hurried-clock.ts';
import { startEuropeanCloud, type EuropeanCloud, type EuropeanCloudOptions } from '../rigs/european-cloud/start.ts';
import { startWorkerWith } from '../../electron/engine/workers/attach-volumes.ts';

/** What only this platform has: its parameters, its quotas, its rules for addresses and groups. */

const signal = new AbortController().signal;
const gib = 2 ** 30;

const vm: Vm = {
  id: 'vm-1',
  name: 'web',
  os_type: 'linux',
  vcpus: 2,
  memory_mb: 4096,
  disks: [
    { id: 'd0', size_bytes: 3 * gib, storage_backend: 'ds1' },
    { id: 'd1', size_bytes: gib, storage_backend: 'ds2' },
  ],
  nics: [{ id: 'n0', network: 'lan', ip_addresses: ['10.20.0.17', 'fe80::1'] }],
};
const environment: JsonObject = {
  network_map: { lan: 'production' },
  availability_zone: 'eu01-1',
  migr_image_map: { linux: 'Debian 12' },
  migr_network: 'migration',
  migr_machine_type: 'g1.2',
};

let cloud: EuropeanCloud;
let folder: string;
let store: Store;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-cloud-'));
  store = openStore(folder, undefined, hurriedClock(20));
});
afterEach(() =>
  closeAll(
    () => expect(cloud.violations).toEqual([]),
    () => cloud.close(),
    () => store.close(),
    () => rmSync(folder, { recursive: true, force: true }),
  ),
);

async function open(
  options: EuropeanCloudOptions = {},
  context: EuropeanCloudContext = {},
  connection: object = {},
): Promise<DestinationPlatform> {
  cloud = await startEuropeanCloud({ transitionMs: 2, ...options });
  return createEuropeanCloudDestination(
    {
      project_id: cloud.projectId,
      region_name: cloud.region,
      service_account_key: JSON.stringify(cloud.serviceAccountKey),
      iaas_url: cloud.urls.iaas,
      ...connection,
    },
    {
      clock: hurriedClock(4),
      timing: { pollFirstMs: 2, pollCapMs: 5, volumeMs: 3_000, serverMs: 3_000, attachMs: 3_000, removeMs: 3_000 },
      ...context,
    },
  );
}

const notes: string[] = [];
function run(more: JsonObject = {}, of: Vm = vm): DestinationRun {
  return {
    replicaId: 'replica',
    executionId: 'execution',
    vm: of,
    environment: { ...environment, ...more },
    ledger: ledgerScope(store.ledger, { endpointId: 'endpoint', replicaId: 'replica', executionId: 'execution' }),
    note: (message) => void notes.push(message),
  };
}

async function findings(platform: DestinationPlatform, more: JsonObject = {}, of: Vm = vm): Promise<string[]> {
  const all = await platform.checkEnvironment({ ...environment, ...more }, of, signal);
  return all
    .filter((finding) => finding.severity !== 'info')
    .map(({ severity, path, rule }) => `${severity} ${path} ${rule.replace('european-cloud/online-', '')}`);
}

describe('the on-line check of an environment', () => {
  it('finds all unknown names in one go, each at its place, and creates nothing', async () => {
    const platform = await open();
    expect(
      await findings(platform, {
        network_map: { lan: 'nowhere' },
        availability_zone: 'eu09',
        migr_image_map: { linux: 'CP/M' },
        migr_network: 'none',
        migr_machine_type: 'x1',
        machine_type: 'x2',
        security_groups: ['default', 'ghosts'],
        affinity_group: 'pack',
        keypair_name: 'mine',
        storage_mappings: {
          default: 'fast',
          backend_mappings: [{ source: 'ds1', destination: 'faster' }],
          disk_mappings: [{ disk_id: 'd0', destination: 'fastest' }],
        },
        default_volume_performance_class: 'slow',
        migr_worker_volume_performance_class: 'slower',
      }),
    ).toEqual([
      'error /network_map/lan name-unknown',
      'error /migr_network name-unknown',
      'error /availability_zone name-unknown',
      'error /migr_image_map/linux name-unknown',
      'error /migr_machine_type name-unknown',
      'error /machine_type name-unknown',
      'error /storage_mappings/default name-unknown',
      'error /storage_mappings/backend_mappings/0/destination name-unknown',
      'error /storage_mappings/disk_mappings/0/destination name-unknown',
      'error /default_volume_performance_class name-unknown',
      'error /migr_worker_volume_performance_class name-unknown',
      'error /security_groups/1 name-unknown',
      'error /affinity_group name-unknown',
      'error /keypair_name name-unknown',
    ]);
    expect(cloud.world.leftovers()).toEqual([]);
  });

  it('refuses a name that two networks share, and takes either by its id', async () => {
    const platform = await open({ networks: [{ name: 'production', prefix: '10.40.0.0/24' }] });
    expect(await findings(platform)).toEqual(['error /network_map/lan name-ambiguous']);
    const [first] = [...cloud.world.networks.values()].filter((network) => network.name === 'production');
    expect(await findings(platform, { network_map: { lan: first?.id ?? '' } })).toEqual([]);
  });

  it('checks fixed addresses: in range, not reserved, not twice, not taken', async () => {
    const platform = await open();
    const with_ = (...addresses: string[]): Vm => ({
      ...vm,
      nics: addresses.map((address, index) => ({ id: `n${index}`, network: 'lan', ip_addresses: [address] })),
    });
    const keep = { preserve_fixed_ips: true };
    expect(await findings(platform, keep)).toEqual(['warning /network_map/lan ipv6-dropped']);
    expect(await findings(platform, keep, with_('10.99.0.5'))).toEqual(['error /network_map/lan address-out-of-range']);
    expect(await findings(platform, {}, with_('10.99.0.5'))).toEqual([]);
    expect(
      await findings(platform, keep, {
        ...vm,
        nics: [{ id: 'n0', network: 'lan', ip_addresses: ['10.20.0.19/24', '10.99.0.5', 'fe80::1'] }],
      }),
    ).toEqual([
      'warning /network_map/lan ipv6-dropped',
      'warning /network_map/lan further-addresses',
      'error /network_map/lan address-out-of-range',
    ]);
    expect(await findings(platform, keep, with_('10.20.0.1'))).toEqual(['error /network_map/lan address-reserved']);
    expect(await findings(platform, keep, with_('10.20.0.9', '10.20.0.9'))).toEqual([
      'error /network_map/lan address-twice',
    ]);
    const holder = [...cloud.world.networks.values()].find((network) => network.name === 'production');
    const id = randomUUID();
    cloud.world.nics.set(id, {
      id,
      name: 'other',
      labels: {},
      networkId: holder?.id ?? '',
      ipv4: '10.20.0.17',
      mac: '02:00:00:00:00:01',
      allowedAddresses: [],
      nicSecurity: true,
      securityGroups: [],
      status: 'ACTIVE',
      type: 'server',
      ownedByServer: false,
    });
    expect(await findings(platform, keep)).toEqual([
      'warning /network_map/lan ipv6-dropped',
      'error /network_map/lan address-taken',
    ]);
    expect(await findings(platform, keep, { ...vm, nics: [{ id: 'n0', network: 'lan' }] })).toEqual([
      'warning /network_map/lan no-fixed-address',
    ]);
  });

  it('knows what the image and the machine type of workers need of each other', async () => {
    const platform = await open();
    expect(await findings(platform, { migr_worker_volume_size: 2 })).toEqual([
      'error /migr_worker_volume_size worker-volume-size',
    ]);
    expect(await findings(platform, { migr_machine_type: 'g1r.2' })).toEqual([
      'error /migr_machine_type worker-architecture',
    ]);
    expect(await findings(platform, { migr_image_map: { linux: 'Windows Server 2022' } })).toEqual([
      'error /migr_image_map/linux image-system',
    ]);
  });

  it('wants what Windows needs: both images and an explicit machine type', async () => {
    const platform = await open();
    expect(await findings(platform, {}, { ...vm, os_type: 'windows' })).toEqual([
      'warning /migr_image_map image-missing',
      'error /machine_type machine-type-windows',
    ]);
  });

  it('says when the machine type is smaller than the source', async () => {
    const platform = await open();
    expect(await findings(platform, { machine_type: 'c2i.1' })).toEqual(['warning /machine_type machine-type-small']);
    expect(await findings(platform, {}, { ...vm, memory_mb: 10 ** 7 })).toEqual([
      'error /machine_type machine-type-none',
    ]);
  });

  it('counts quotas for volumes and worker together, without what earlier executions made', async () => {
    const platform = await open({ quotas: { volumes: 3, gigabytes: 8 } });
    expect(await findings(platform)).toEqual([]);
    await platform.ensureVolumes(run(), vm.disks, signal);
    expect(await findings(platform)).toEqual([]);
    const grown = { ...vm, disks: vm.disks.map((disk) => ({ ...disk, size_bytes: 9 * gib })) };
    expect(await findings(platform, {}, grown)).toEqual(['error  quota']);
  });

  it('refuses a project that the account has no right in', async () => {
    const platform = await open();
    expect(await findings(platform, { project: '11111111-2222-4333-8444-555555555555' })).toEqual([
      'error /project project',
    ]);
  });

  it('says so before anything is made when the address of this computer is not known', async () => {
    const platform = await open({}, { egressAddress: async () => [] });
    expect(await findings(platform)).toEqual(['error /migr_worker_use_public_ip caller-address']);
    await expect(platform.ensureVolumes(run(), vm.disks, signal)).rejects.toMatchObject({
      code: 'cloud.caller-address-unknown',
    });
    expect(cloud.world.leftovers()).toEqual([]);
  });
});

describe('volumes', () => {
  it('get the class of their disk, backend or default, and labels that tell whose they are', async () => {
    const platform = await open();
    const more = {
      storage_mappings: { disk_mappings: [{ disk_id: 'd0', destination: 'storage_premium_perf6' }] },
      default_volume_performance_class: 'storage_premium_perf2',
    };
    const volumes = await platform.ensureVolumes(run(more), vm.disks, signal);
    const made = volumes.map((volume) => cloud.world.volumes.get(volume.id));
    expect(made.map((volume) => [volume?.performanceClass, volume?.size, volume?.availabilityZone])).toEqual([
      ['storage_premium_perf6', 3, 'eu01-1'],
      ['storage_premium_perf2', 1, 'eu01-1'],
    ]);
    expect(made[0]?.labels).toMatchObject({
      'managed-by': 'causeway',
      'causeway-replica': 'replica',
      'causeway-disk': 'd0',
      'causeway-vm': 'vm-1',
    });
  });

  it('nothing is made when the quota is too small for all of it', async () => {
    const platform = await open({ quotas: { volumes: 2, vcpu: 1 } });
    await expect(platform.ensureVolumes(run(), vm.disks, signal)).rejects.toMatchObject({
      code: 'cloud.quota-exceeded',
      message: expect.stringMatching(/volumes: 3 needed, 2 of 2 free.*vCPUs: 2 needed, 1 of 1 free/) as unknown,
    });
    expect(cloud.world.leftovers()).toEqual([]);
  });

  it('one that fails at its creation is removed, and made anew the next time', async () => {
    const platform = await open();
    cloud.faults.add({ operation: 'CreateVolume', nth: 2, effect: 'status-error' });
    await expect(platform.ensureVolumes(run(), vm.disks, signal)).rejects.toMatchObject({
      code: 'cloud.operation-failed',
      retryable: true,
    });
    const volumes = await platform.ensureVolumes(run(), vm.disks, signal);
    expect(volumes.map((volume) => volume.createdByThisCall)).toEqual([false, true]);
    expect(cloud.world.volumes.size).toBe(2);
  });

  it('one that hangs in its creation ends at the deadline, and is adopted when it comes up later', async () => {
    const platform = await open();
    cloud.faults.add({ operation: 'CreateVolume', effect: 'hang' });
    await expect(platform.ensureVolumes(run(), vm.disks, signal)).rejects.toMatchObject({
      code: 'cloud.not-ready',
      message: expect.stringContaining('still CREATING') as unknown,
    });
    for (const volume of cloud.world.volumes.values()) volume.status = 'AVAILABLE';
    await platform.ensureVolumes(run(), vm.disks, signal);
    expect(cloud.world.volumes.size).toBe(2);
  });

  it('are not moved to another zone', async () => {
    const platform = await open();
    await platform.ensureVolumes(run(), vm.disks, signal);
    await expect(platform.ensureVolumes(run({ availability_zone: 'eu01-2' }), vm.disks, signal)).rejects.toMatchObject({
      code: 'cloud.zone-mismatch',
    });
  });

  it('one that holds data and has failed is not thrown away', async () => {
    const platform = await open();
    const [first] = await platform.ensureVolumes(run(), vm.disks, signal);
    const record = cloud.world.volumes.get(first?.id ?? '');
    if (record !== undefined) record.status = 'ERROR';
    await expect(platform.ensureVolumes(run(), vm.disks, signal)).rejects.toMatchObject({
      code: 'cloud.volume-failed',
      retryable: false,
    });
    expect(cloud.world.volumes.has(first?.id ?? '')).toBe(true);
  });

  it('one that fails to grow is named as what has to be mended, and replaced once somebody deleted it', async () => {
    const platform = await open();
    const [first] = await platform.ensureVolumes(run(), vm.disks, signal);
    const grown = vm.disks.map((disk, index) => (index === 0 ? { ...disk, size_bytes: 9 * gib } : disk));
    cloud.faults.add({ operation: 'ResizeVolume', effect: 'status-error' });
    const failure = { code: 'cloud.volume-failed', details: { volumeId: first?.id, state: 'ERROR_RESIZING' } };
    await expect(platform.ensureVolumes(run(), grown, signal)).rejects.toMatchObject(failure);
    await expect(platform.ensureVolumes(run(), grown, signal)).rejects.toMatchObject(failure);
    cloud.world.volumes.delete(first?.id ?? '');
    expect(
      (await platform.ensureVolumes(run(), grown, signal)).map((volume) => [
        volume.createdByThisCall,
        volume.sizeBytes,
      ])[0],
    ).toEqual([true, 9 * gib]);
  });
});

describe('workers', () => {
  it('are opened for the caller alone, on the ports of the way of transfer', async () => {
    const platform = await open({}, {}, { caller_address: '198.51.100.7' });
    const volumes = await platform.ensureVolumes(run(), vm.disks, signal);
    const rules = (): string[] =>
      [...cloud.world.securityGroups.values()]
        .filter((group) => group.name !== 'default')
        .flatMap((group) =>
          group.rules
            .filter((rule) => rule.direction === 'ingress')
            .map((rule) => `${rule.portRange?.min}-${rule.portRange?.max} ${rule.ipRange ?? 'all'}`),
        );
    await startWorkerWith(platform, run(), 'disk-copy', volumes, signal);
    expect(rules()).toEqual(['22-22 198.51.100.7/32', '5566-5566 198.51.100.7/32']);
    await platform.stopWorker(run(), 'disk-copy', signal);
    await startWorkerWith(platform, run({ data_transfer_mechanism: 'SSH' }), 'disk-copy', volumes, signal);
    expect(rules()).toEqual(['22-22 198.51.100.7/32']);
  });

  it('without public addresses are reached at their own', async () => {
    const platform = await open();
    const access = await startWorkerWith(platform, run({ migr_worker_use_public_ip: false }), 'disk-copy', [], signal);
    const [nic] = [...cloud.world.nics.values()];
    expect(access.host).toBe(nic?.ipv4);
    expect(cloud.world.publicIps.size).toBe(0);
  });

  it('are made as the environment says', async () => {
    const platform = await open();
    await startWorkerWith(
      platform,
      run({
        migr_worker_volume_size: 11,
        migr_worker_volume_performance_class: 'storage_premium_perf4',
        use_config_drive: true,
      }),
      'disk-copy',
      [],
      signal,
    );
    const [server] = [...cloud.world.servers.values()];
    const boot = cloud.world.volumes.get(server?.bootVolume.id ?? '');
    expect(server).toMatchObject({
      machineType: 'g1.2',
      availabilityZone: 'eu01-1',
      configDrive: false,
      bootVolume: { deleteOnTermination: true },
    });
    expect(boot).toMatchObject({ size: 11, performanceClass: 'storage_premium_perf4' });
  });

  it('for Windows get their own image, WinRM and no SSH', async () => {
    const platform = await open();
    const windows = { migr_image_map: { linux: 'Debian 12', windows: 'Windows Server 2022' } };
    const access = await startWorkerWith(platform, run(windows), 'osmorphing-windows', [], signal);
    expect(access.winrm?.port).toBe(5986);
    expect(access.hostKey).toBeUndefined();
    const ports = [...cloud.world.securityGroups.values()]
      .flatMap((group) => group.rules)
      .flatMap((rule) => rule.portRange?.min ?? []);
    expect(ports).toEqual([5986]);
    await platform.stopWorker(run(windows), 'osmorphing-windows', signal);
    expect(cloud.world.leftovers()).toEqual([]);
  });

  it('one that ends in ERROR is removed with the words of the cloud in the error', async () => {
    const platform = await open();
    cloud.faults.add({ operation: 'CreateServer', effect: 'status-error' });
    await expect(startWorkerWith(platform, run(), 'disk-copy', [], signal)).rejects.toMatchObject({
      code: 'cloud.operation-failed',
      message: expect.stringContaining('failed') as unknown,
    });
    expect(cloud.world.servers.size).toBe(0);
    await startWorkerWith(platform, run(), 'disk-copy', [], signal);
    expect(cloud.world.servers.size).toBe(1);
  });

  it('one that was switched off is replaced', async () => {
    const platform = await open();
    const first = await startWorkerWith(platform, run(), 'disk-copy', [], signal);
    const record = cloud.world.servers.get(first.workerId);
    if (record !== undefined) Object.assign(record, { status: 'INACTIVE', powerStatus: 'STOPPED' });
    const second = await startWorkerWith(platform, run(), 'disk-copy', [], signal);
    expect(second.workerId).not.toBe(first.workerId);
    expect(cloud.world.servers.size).toBe(1);
  });

  it('an attachment that hangs ends at the deadline, and all can be removed', async () => {
    const platform = await open();
    const volumes = await platform.ensureVolumes(run(), vm.disks, signal);
    cloud.faults.add({ operation: 'AddVolumeToServer', nth: 2, effect: 'hang' });
    await expect(startWorkerWith(platform, run(), 'disk-copy', volumes, signal)).rejects.toMatchObject({
      code: 'cloud.not-ready',
    });
    for (const volume of cloud.world.volumes.values()) if (volume.status === 'ATTACHING') volume.status = 'AVAILABLE';
    await platform.stopWorker(run(), 'disk-copy', signal);
    expect(cloud.world.leftovers()).toHaveLength(2);
  });

  it('do not take a volume from a server of somebody else', async () => {
    const platform = await open();
    const [volume] = await platform.ensureVolumes(run(), vm.disks, signal);
    const { workerId } = await startWorkerWith(
      platform,
      run(),
      'disk-copy',
      volume === undefined ? [] : [volume],
      signal,
    );
    const record = cloud.world.servers.get(workerId);
    if (record !== undefined) record.labels = {};
    const other = {
      ...run(),
      ledger: ledgerScope(store.ledger, { endpointId: 'endpoint', replicaId: 'replica', executionId: 'later' }),
      executionId: 'later',
    };
    await expect(
      startWorkerWith(platform, other, 'disk-copy', volume === undefined ? [] : [volume], signal),
    ).rejects.toMatchObject({ code: 'cloud.volume-in-use' });
  });

  it('a removal that fails is reported together with what it holds up, and can be repeated', async () => {
    const platform = await open();
    await startWorkerWith(platform, run(), 'disk-copy', [], signal);
    cloud.faults.add({ operation: 'DeleteServer', times: 99, effect: '500' });
    await expect(platform.stopWorker(run(), 'disk-copy', signal)).rejects.toMatchObject({
      code: 'cloud.clean-up-incomplete',
      message: expect.stringMatching(/server .*HTTP 500.*nic .*its server still exists/) as unknown,
    });
    expect(cloud.world.publicIps.size).toBe(0);
    cloud.faults.clear();
    await platform.stopWorker(run(), 'disk-copy', signal);
    expect(cloud.world.leftovers()).toEqual([]);
  });

  it('renews its token in the middle of it all when the cloud forgets it', async () => {
    const platform = await open();
    await platform.ensureVolumes(run(), vm.disks, signal);
    cloud.tokens.revokeTokens();
    await startWorkerWith(platform, run(), 'disk-copy', [], signal);
    expect(cloud.tokens.issued).toBe(2);
  });
});
