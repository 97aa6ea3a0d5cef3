import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClassicDestination } from '../../electron/engine/platforms/classic-infrastructure-cloud/destination/classic-destination.ts';
import type { DestinationPlatform, DestinationRun } from '../../electron/engine/ports/destination-platform.ts';
import { ledgerScope } from '../../electron/engine/store/ledger.ts';
import { openStore, type Store } from '../../electron/engine/store/store.ts';
import { startWorkerWith } from '../../electron/engine/workers/attach-volumes.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import type { Vm } from '../../shared/model/vm.ts';
import { deployByHand } from '../conformance/deploy-by-hand.ts';
import { classicCloudContext, classicCloudEnvironment } from '../conformance/classic-cloud-labs.ts';
import { closeAll } from '../rigs/closing.ts';
import { startClassicCloud, type ClassicCloud } from '../rigs/classic-infrastructure-cloud/start.ts';
import { hurriedClock } from '../rigs/hurried-clock.ts';

/** What only this platform has: pools, indexes, launch plans, security lists, reservations. Each parameter by its effect on the cloud's records. */

const signal = new AbortController().signal;
const gib = 2 ** 30;
const vm: Vm = {
  id: 'vm-1',
  name: 'web',
  os_type: 'linux',
  vcpus: 4,
  memory_mb: 6000,
  firmware: 'bios',
  disks: [
    { id: 'd0', size_bytes: 3 * gib, bootable: true },
    { id: 'd1', size_bytes: gib, storage_backend: 'fast' },
  ],
  nics: [{ id: 'n0', network: 'lan' }],
};

let cloud: ClassicCloud;
let folder: string;
let store: Store;
let environment: JsonObject;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-cloud-'));
  store = openStore(folder, undefined, hurriedClock(20));
  cloud = await startClassicCloud({ transitionMs: 2 });
  environment = classicCloudEnvironment(cloud);
});
afterEach(() =>
  closeAll(
    () => expect([...new Set(cloud.violations)]).toEqual([]),
    () => cloud.close(),
    () => store.close(),
    () => rmSync(folder, { recursive: true, force: true }),
  ),
);

const open = (connection: object = {}): DestinationPlatform =>
  createClassicDestination(cloud.connection(connection), classicCloudContext(2_000));

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

async function deployed(platform: DestinationPlatform, more: JsonObject = {}, of: Vm = vm) {
  const made = await deployByHand(
    platform,
    { ...run(more, of), deploymentId: 'deployment', preparationRole: 'osmorphing-linux' },
    signal,
  );
  return { ...made, record: cloud.world.instances.get(made.server.id)! };
}

async function findings(platform: DestinationPlatform, more: JsonObject = {}, of: Vm = vm): Promise<string[]> {
  const all = await platform.checkEnvironment({ ...environment, ...more }, of, signal);
  return all.map(
    ({ severity, path, rule }) => `${severity} ${path} ${rule.replace('classic-infrastructure-cloud/online-', '')}`,
  );
}

describe('parameters', () => {
  it('storage_mappings, default_volume_pool: the pool of each volume', async () => {
    const pools = async (more: JsonObject) => {
      const platform = open();
      const volumes = await platform.ensureVolumes(run(more), vm.disks, signal);
      const made = volumes.map(({ id }) => cloud.world.volumes.get(id)?.properties[0]?.split('/').at(-1));
      await platform.deleteVolumes(run(more), signal);
      return made;
    };
    expect(await pools({})).toEqual(['default', 'default']);
    expect(await pools({ default_volume_pool: '/oracle/public/storage/latency' })).toEqual(['latency', 'latency']);
    const mapping = {
      default: '/oracle/public/storage/latency',
      backend_mappings: [{ source: 'fast', destination: '/oracle/public/storage/ssd/gpl' }],
      disk_mappings: [{ disk_id: 'd0', destination: '/oracle/public/storage/default' }],
    };
    expect(await pools({ storage_mappings: mapping })).toEqual(['default', 'gpl']);
  });

  it('migr_image_map, migr_shape_name, caller_address: a worker of the image list, closed to all but the caller, with volumes by index', async () => {
    const platform = open({ caller_address: '198.51.100.7' });
    const volumes = await platform.ensureVolumes(run(), vm.disks, signal);
    const access = await startWorkerWith(platform, run(), 'disk-copy', volumes, signal);
    expect(cloud.world.instances.get(access.workerId)).toMatchObject({
      shape: 'oc3',
      imagelist: '/oracle/public/OL_8.9_UEKR6_x86_64',
      boot_order: [],
    });
    const lists = [...cloud.world.security.seciplist.values()];
    expect(lists.map((list) => list['secipentries'])).toEqual([['198.51.100.7/32']]);
    const applications = [...cloud.world.security.secrule.values()].map(
      (rule) => cloud.world.security.secapplication.get(String(rule['application']))?.['dport'] ?? rule['application'],
    );
    expect(applications).toEqual(['/oracle/public/ssh', '5566']);
    expect(access.attached.map(({ identity }) => identity)).toEqual([
      { kind: 'by-path', path: 'xvdb', sizeBytes: 3 * gib },
      { kind: 'by-path', path: 'xvdc', sizeBytes: gib },
    ]);
    await platform.detachVolume(run(), access.workerId, volumes[0]!, signal);
    expect(await platform.attachVolume(run(), access.workerId, volumes[0]!, signal)).toMatchObject({ path: 'xvdb' });
    await platform.stopWorker(run(), 'disk-copy', signal);
    await platform.deleteVolumes(run(), signal);
    expect(cloud.world.leftovers()).toEqual([]);
  });

  it('migr_image_map.windows: a worker of that image list, whose script lets WinRM in with a certificate of its own', async () => {
    const platform = open({ caller_address: '198.51.100.7' });
    const more = { migr_image_map: { linux: '/oracle/public/OL_8.9_UEKR6_x86_64', windows: 'Windows_2022' } };
    expect(platform.runPolicy(more).hasWindowsWorkerImage).toBe(true);
    const access = await startWorkerWith(platform, run(more), 'osmorphing-windows', [], signal);
    expect(access).toMatchObject({ username: 'causeway', winrm: { port: 5986 } });
    const instance = cloud.world.instances.get(access.workerId);
    expect(instance?.imagelist).toBe(cloud.world.own('Windows_2022'));
    expect(instance?.script.join('\n')).toContain('New-LocalUser');
    const applications = [...cloud.world.security.secrule.values()].map(
      (rule) => cloud.world.security.secapplication.get(String(rule['application']))?.['dport'] ?? rule['application'],
    );
    expect(applications).toEqual(['5986']);
    await platform.stopWorker(run(more), 'osmorphing-windows', signal);
    expect(cloud.world.leftovers()).toEqual([]);
  });

  it('data_transfer_mechanism: a worker that is written to within SSH has no other port', async () => {
    const platform = open({ data_transfer_mechanism: 'SSH' });
    await startWorkerWith(platform, run(), 'disk-copy', [], signal);
    expect([...cloud.world.security.secrule.values()].map((rule) => rule['application'])).toEqual([
      '/oracle/public/ssh',
    ]);
    await platform.stopWorker(run(), 'disk-copy', signal);
  });

  it('shape_name: as named, else the smallest that has what the VM had', async () => {
    expect((await deployed(open(), { shape_name: 'oc5' })).record.shape).toBe('oc5');
    const plan = await open().deployment?.plan(
      { ...run({ shape_name: '' }), deploymentId: 'other', preparationRole: 'osmorphing-linux' },
      [],
      signal,
    );
    expect(plan?.machineType).toBe('oc4');
  });

  it('network_map: each NIC on the IP network that its own is mapped to, in their order', async () => {
    const { record } = await deployed(
      open(),
      {},
      {
        ...vm,
        nics: [
          { id: 'n0', network: 'lan' },
          { id: 'n1', network: 'mgmt' },
        ],
      },
    );
    expect(
      Object.entries(record.networking).map(([name, { ipnetwork, is_default_gateway: way }]) => [name, ipnetwork, way]),
    ).toEqual([
      ['eth0', cloud.world.own('production'), true],
      ['eth1', cloud.world.own('backup'), undefined],
    ]);
  });

  it('keypair_name: on the migrated instance', async () => {
    expect((await deployed(open(), { keypair_name: 'ops-key' })).record.sshkeys).toEqual([cloud.world.own('ops-key')]);
  });

  it('set_public_ip: a reservation of the deployment, on the first NIC alone, which goes with the deployment', async () => {
    const { own, deployment, server, record } = await deployed(
      open(),
      { set_public_ip: true },
      {
        ...vm,
        nics: [
          { id: 'n0', network: 'lan' },
          { id: 'n1', network: 'mgmt' },
        ],
      },
    );
    const [reservation] = [...cloud.world.reservations.values()];
    expect(Object.values(record.networking).map(({ nat }) => nat)).toEqual([
      [`network/v1/ipreservation:${reservation?.name ?? ''}`],
      undefined,
    ]);
    expect(server.addresses[0]).toBe(reservation?.ipAddress);
    await deployment.rollBack(own, signal);
    expect(cloud.world.reservations.size).toBe(0);
  });

  it('without set_public_ip nothing is reserved', async () => {
    await deployed(open());
    expect(cloud.world.reservations.size).toBe(0);
  });
});

describe('deployments', () => {
  it('boot from a bootable copy at index 1, of snapshots that may go while the VM lives', async () => {
    const disks = [
      { id: 'data', size_bytes: gib },
      { id: 'root', size_bytes: gib, bootable: true },
    ];
    const { own, deployment, copies, record } = await deployed(open(), {}, { ...vm, disks });
    const root = copies.find(({ diskId }) => diskId === 'root')?.id ?? '';
    expect(record.boot_order).toEqual([1]);
    expect(
      cloud.world.attachmentsOf(record.name).map(({ index, storage_volume_name: name }) => [index, name === root]),
    ).toEqual([
      [1, true],
      [2, false],
    ]);
    expect(copies.map(({ id }) => cloud.world.volumes.get(id)?.bootable)).toEqual([false, true]);
    await deployment.deleteSnapshots(own, signal);
    expect(cloud.world.snapshots.size).toBe(0);
    expect(record).toMatchObject({ state: 'running', label: 'web', hostname: 'web' });
  });

  it('are not offered in place', () => {
    expect(open().deployment?.transferVolumesToDeployment).toBeUndefined();
  });
});

describe('checks', () => {
  it('the endpoint: says that the platform is retired, and passes', async () => {
    const { steps } = await open({ caller_address: '198.51.100.7' }).check(signal);
    expect(steps.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(JSON.stringify(steps.filter(({ outcome }) => outcome === 'warning'))).toContain('retired');
  });

  it('an environment: all unknown names in one go, each at its place, and nothing is created', async () => {
    const platform = open({ caller_address: '198.51.100.7' });
    expect(await findings(platform)).toEqual([]);
    expect(
      await findings(platform, {
        network_map: { lan: 'nowhere' },
        migr_image_map: { linux: 'CPM' },
        migr_shape_name: 'oc88',
        shape_name: 'oc99',
        keypair_name: 'none',
        default_volume_pool: '/oracle/public/storage/tape',
        storage_mappings: { disk_mappings: [{ disk_id: 'd1', destination: 'floppy' }] },
      }),
    ).toEqual([
      'error /network_map/lan name-unknown',
      'error /storage_mappings/disk_mappings/0/destination name-unknown',
      'error /default_volume_pool name-unknown',
      'error /migr_image_map/linux name-unknown',
      'error /migr_shape_name name-unknown',
      'error /keypair_name name-unknown',
      'error /shape_name name-unknown',
    ]);
    expect(cloud.world.leftovers()).toEqual([]);
  });

  it('an environment: what the platform does not carry', async () => {
    const platform = open({ caller_address: '198.51.100.7' });
    expect(await findings(platform, { keypair_name: 'old-key' })).toEqual(['error /keypair_name key-disabled']);
    expect(await findings(platform, {}, { ...vm, firmware: 'uefi' })).toEqual(['error  no-uefi']);
    expect(
      await findings(
        platform,
        {},
        { ...vm, disks: Array.from({ length: 11 }, (_, n) => ({ id: `d${n}`, size_bytes: gib })) },
      ),
    ).toEqual(['error  too-many-disks']);
    expect(await findings(platform, { shape_name: '' }, { ...vm, vcpus: 64 })).toEqual([
      'error /shape_name machine-type-none',
    ]);
    expect(await findings(platform, { shape_name: 'oc3' })).toEqual(['warning /shape_name shape-small']);
    expect(await findings(platform, { migr_image_map: { linux: 'Windows_2022' } })).toEqual([
      'warning /migr_image_map/linux image-system',
    ]);
  });

  it('names and choices: what the account has', async () => {
    const platform = open();
    const catalog = await platform.catalog({}, signal);
    expect(catalog.networks?.map(({ name }) => name)).toEqual(['production', 'backup']);
    expect(catalog.keypairs?.map(({ name }) => name)).toEqual(['ops-key']);
    expect(catalog.images?.map(({ name, os }) => [name, os])).toEqual([
      ['OL_8.9_UEKR6_x86_64', 'linux'],
      ['Windows_2022', 'windows'],
    ]);
    const options = await platform.options(
      ['networks', 'machine_types', 'volume_types', 'keypairs', 'images', 'regions'],
      {},
      signal,
    );
    expect(Object.entries(options).map(([name, list]) => [name, list.length])).toEqual([
      ['networks', 2],
      ['machine_types', 4],
      ['volume_types', 3],
      ['keypairs', 1],
      ['images', 2],
    ]);
  });

  it('orphans: everything with our mark is found, what has no tags by its description', async () => {
    const platform = open({ caller_address: '198.51.100.7' });
    const volumes = await platform.ensureVolumes(run(), vm.disks, signal);
    await startWorkerWith(platform, run(), 'disk-copy', volumes, signal);
    const managed = (await platform.listManaged?.([], signal)) ?? [];
    expect(managed.map(({ kind }) => kind).toSorted()).toEqual([
      'other',
      'other',
      'security-group',
      'security-group-rule',
      'security-group-rule',
      'server',
      'volume',
      'volume',
    ]);
    expect(new Set(managed.map(({ replicaId }) => replicaId))).toEqual(new Set(['replica']));
    await platform.stopWorker(run(), 'disk-copy', signal);
    await platform.deleteVolumes(run(), signal);
  });
});
