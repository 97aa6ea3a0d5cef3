import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCompartmentCloudDestination } from '../../electron/engine/platforms/compartment-cloud/destination/oci-destination.ts';
import type { DestinationPlatform, DestinationRun } from '../../electron/engine/ports/destination-platform.ts';
import { ledgerScope } from '../../electron/engine/store/ledger.ts';
import { openStore, type Store } from '../../electron/engine/store/store.ts';
import { startWorkerWith } from '../../electron/engine/workers/attach-volumes.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import type { Vm } from '../../shared/model/vm.ts';
import { deployByHand } from '../conformance/deploy-by-hand.ts';
import {
  compartmentCloudConnection,
  compartmentCloudContext,
  compartmentCloudEnvironment,
} from '../conformance/compartment-cloud-labs.ts';
import { closeAll } from '../rigs/closing.ts';
import {
  startCompartmentCloud,
  type CompartmentCloud,
  type CompartmentCloudOptions,
} from '../rigs/compartment-cloud/start.ts';
import { hurriedClock } from '../rigs/hurried-clock.ts';

/** What only this platform has: boot volumes from zeros, shapes, launch options, attachments, compartments. Each parameter by its effect on the cloud's records. */

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

let cloud: CompartmentCloud;
let folder: string;
let store: Store;
let environment: JsonObject;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-cloud-'));
  store = openStore(folder, undefined, hurriedClock(20));
});
afterEach(() =>
  closeAll(
    () => expect([...new Set(cloud.violations)]).toEqual([]),
    () => cloud.close(),
    () => store.close(),
    () => rmSync(folder, { recursive: true, force: true }),
  ),
);

async function open(options: CompartmentCloudOptions = {}, connection: object = {}): Promise<DestinationPlatform> {
  cloud = await startCompartmentCloud({ transitionMs: 2, ...options });
  environment = compartmentCloudEnvironment(cloud);
  return createCompartmentCloudDestination(
    compartmentCloudConnection(cloud, connection),
    compartmentCloudContext(2_000),
  );
}

const notes: string[] = [];
function run(more: JsonObject = {}, of: Vm = vm, replicaId = 'replica'): DestinationRun {
  return {
    replicaId,
    executionId: `execution-${replicaId}`,
    vm: of,
    environment: { ...environment, ...more },
    ledger: ledgerScope(store.ledger, { endpointId: 'endpoint', replicaId, executionId: `execution-${replicaId}` }),
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

const live = <R extends { readonly lifecycleState: string }>(all: Iterable<R>): R[] =>
  [...all].filter(({ lifecycleState }) => !['TERMINATED', 'DELETED', 'DETACHED'].includes(lifecycleState));

async function findings(platform: DestinationPlatform, more: JsonObject = {}, of: Vm = vm): Promise<string[]> {
  const all = await platform.checkEnvironment({ ...environment, ...more }, of, signal);
  return all
    .filter((finding) => finding.severity !== 'info')
    .map(({ severity, path, rule }) => `${severity} ${path} ${rule.replace('compartment-cloud/online-', '')}`);
}

describe('boot volumes', () => {
  it('are made from an image of zeros, which all replicas of a compartment share and the last one takes away', async () => {
    const platform = await open();
    const [first] = await platform.ensureVolumes(run(), vm.disks, signal);
    const images = live(cloud.world.images.values()).filter(({ operatingSystem }) => operatingSystem === 'Custom');
    expect(images).toHaveLength(1);
    expect(cloud.world.volumes.get(first?.id ?? '')).toMatchObject({
      id: expect.stringMatching(/^ocid1\.bootvolume\./) as string,
      sizeInGBs: 50,
      imageId: images[0]?.id,
      compartmentId: cloud.compartment,
    });
    expect((await cloud.world.ground.files.read(first?.id ?? '', 0, 2 ** 20)).every((byte) => byte === 0)).toBe(true);
    expect(live(cloud.world.instances.values())).toEqual([]);
    expect(cloud.world.buckets.size).toBe(0);
    await platform.ensureVolumes(run({}, { ...vm, id: 'vm-2' }, 'other'), vm.disks, signal);
    expect(cloud.calls.filter(({ operation }) => operation === 'ComputeClient.createImage')).toHaveLength(1);
    await platform.deleteVolumes(run({}, vm), signal);
    expect(
      live(cloud.world.images.values()).filter(({ operatingSystem }) => operatingSystem === 'Custom'),
    ).toHaveLength(1);
    await platform.deleteVolumes(run({}, { ...vm, id: 'vm-2' }, 'other'), signal);
    expect(cloud.world.leftovers()).toEqual([]);
  });

  it('one that is found as made, because the answers to its last change were lost, has closed the entry of the instance it came from', async () => {
    const platform = await open();
    // The first change gives it its tags, the second one says that it is made.
    cloud.faults.add({
      operation: 'BlockstorageClient.updateBootVolume',
      nth: 2,
      times: 20,
      effect: 'connection-reset-after',
    });
    const [boot] = await platform.ensureVolumes(run(), vm.disks, signal);
    cloud.faults.clear();
    expect(cloud.world.volumes.get(boot?.id ?? '')).toMatchObject({ lifecycleState: 'AVAILABLE' });
    expect(store.ledger.list().filter(({ lifetime }) => lifetime === 'temporary')).toEqual([]);
  });

  it('another image is imported when the one that was found goes before the launch', async () => {
    let launches = 0;
    const platform = await open({
      onCall({ operation }) {
        launches += Number(operation === 'ComputeClient.launchInstance');
        if (operation !== 'ComputeClient.launchInstance' || launches !== 2) return;
        for (const image of cloud.world.images.values())
          if (image.operatingSystem === 'Custom') image.lifecycleState = 'DELETED';
      },
    });
    await platform.ensureVolumes(run(), vm.disks, signal);
    const volumes = await platform.ensureVolumes(run({}, { ...vm, id: 'vm-2' }, 'other'), vm.disks, signal);
    expect(volumes.map(({ createdByThisCall }) => createdByThisCall)).toEqual([true, true]);
    expect(launches).toBe(3);
  });

  it('an import that fails is told with the reason of the work request, and leaves nothing', async () => {
    const platform = await open();
    cloud.faults.add({ operation: 'ComputeClient.createImage', effect: 'status-error' });
    await expect(platform.ensureVolumes(run(), vm.disks, signal)).rejects.toMatchObject({
      code: 'cloud.operation-failed',
      message: expect.stringContaining('InternalError') as string,
    });
    await platform.stopWorker(run(), 'disk-copy', signal);
    await platform.deleteVolumes(run(), signal);
    expect(cloud.world.leftovers()).toEqual([]);
  });

  it('a host without room is told as that', async () => {
    const platform = await open();
    cloud.world.withoutCapacity.add('VM.Standard2.1');
    await expect(platform.ensureVolumes(run(), vm.disks, signal)).rejects.toMatchObject({
      code: 'cloud.operation-failed',
      message: expect.stringContaining('Out of host capacity') as string,
    });
  });
});

describe('parameters', () => {
  it('of the endpoint: performance units of volumes', async () => {
    const platform = await open({}, { volume_performance: 20 });
    const volumes = await platform.ensureVolumes(run(), vm.disks, signal);
    expect(volumes.map(({ id }) => cloud.world.volumes.get(id)?.vpusPerGB)).toEqual([20, 20]);
  });

  it('of the endpoint: deployments from backups instead of clones, which may go while the migrated VM lives', async () => {
    const platform = await open({}, { deployment_copies: 'backups' });
    const { server, own, deployment, copies } = await deployed(platform);
    const made = [...cloud.world.backups.values()];
    expect(made.map(({ type, id }) => [type, id.split('.')[1]]).toSorted()).toEqual([
      ['INCREMENTAL', 'bootvolumebackup'],
      ['INCREMENTAL', 'volumebackup'],
    ]);
    const sources = copies.map(({ id }) => cloud.world.volumes.get(id)?.sourceDetails);
    expect(sources.map((source) => source?.type).toSorted()).toEqual(['bootVolumeBackup', 'volumeBackup']);
    expect(sources.map((source) => source?.id).toSorted()).toEqual(made.map(({ id }) => id).toSorted());
    await deployment.deleteSnapshots(own, signal);
    expect(live(cloud.world.backups.values())).toEqual([]);
    expect(cloud.world.instances.get(server.id)?.lifecycleState).toBe('RUNNING');
    await deployment.rollBack(own, signal);
    await platform.deleteVolumes(run(), signal);
    expect(cloud.world.leftovers()).toEqual([]);
  });

  it('compartment by id, networks of another compartment, availability domain by id', async () => {
    const platform = await open();
    const { server } = await deployed(platform, {
      compartment: cloud.compartment,
      vcn_compartment: 'networks',
      availability_domain: 'ocid1.availabilitydomain.oc1..2',
      network_map: { lan: { id: cloud.idOf('subnet', 'shared'), security_groups: ['shared-web'] } },
    });
    const record = cloud.world.instances.get(server.id);
    expect(record).toMatchObject({ compartmentId: cloud.compartment, availabilityDomain: 'Uocm:EU-FRANKFURT-1-AD-2' });
    const [vnic] = live(cloud.world.vnics.values()).filter(({ displayName }) => displayName === 'n0');
    expect(vnic).toMatchObject({
      subnetId: cloud.idOf('subnet', 'shared'),
      nsgIds: [cloud.idOf('group', 'shared-web')],
    });
  });

  it('migr_*: shape, subnet, image, its own group for this computer alone', async () => {
    const platform = await open({}, { caller_address: '198.51.100.7' });
    const volumes = await platform.ensureVolumes(run(), vm.disks, signal);
    const access = await startWorkerWith(platform, run(), 'disk-copy', volumes, signal);
    expect(cloud.world.instances.get(access.workerId)).toMatchObject({
      shape: 'VM.Standard2.1',
      imageId: cloud.idOf('image', 'Oracle-Linux-9'),
    });
    const groups = live(cloud.world.groups.values()).filter(
      ({ freeformTags }) => freeformTags['managed-by'] === 'causeway',
    );
    expect(
      groups
        .flatMap(({ id }) => cloud.world.rules.get(id) ?? [])
        .map(({ source, tcpOptions }) => [source, tcpOptions?.destinationPortRange?.min]),
    ).toEqual([
      ['198.51.100.7/32', 22],
      ['198.51.100.7/32', 5566],
    ]);
    expect(access.attached.map(({ identity }) => identity)).toEqual([
      { kind: 'by-path', path: 'oracleoci/oraclevdb', sizeBytes: 50 * gib },
      { kind: 'by-path', path: 'oracleoci/oraclevdc', sizeBytes: 50 * gib },
    ]);
    await platform.stopWorker(run(), 'disk-copy', signal);
  });

  it('storage_mappings: a data disk by iSCSI is a target that the worker logs in to with a secret, which is kept nowhere', async () => {
    const platform = await open();
    const more = { storage_mappings: { default: 'iscsi' } };
    const volumes = await platform.ensureVolumes(run(more), vm.disks, signal);
    const access = await startWorkerWith(platform, run(more), 'disk-copy', volumes, signal);
    const [attachment] = live(cloud.world.attachments.values()).filter(
      ({ attachmentType }) => attachmentType === 'iscsi',
    );
    const { iqn = '', ipv4 = '', chapUsername = '', chapSecret = '' } = attachment ?? {};
    expect(access.attached.map(({ identity }) => identity)).toEqual([
      { kind: 'by-path', path: 'oracleoci/oraclevdb', sizeBytes: 50 * gib },
      {
        kind: 'by-path',
        path: `ip-${ipv4}:3260-iscsi-${iqn}`,
        sizeBytes: 50 * gib,
        login: { target: iqn, portal: `${ipv4}:3260`, user: chapUsername, secret: chapSecret },
      },
    ]);
    expect(chapSecret).not.toBe('');
    expect(JSON.stringify([store.ledger.list(), notes])).not.toContain(chapSecret);
    await platform.stopWorker(run(more), 'disk-copy', signal);
  });

  it('migr_image_map.windows: a worker of that image with WinRM alone, and volumes that nobody has to log in to', async () => {
    const platform = await open();
    const more = {
      migr_image_map: { linux: cloud.idOf('image', 'Oracle-Linux-9'), windows: 'Windows-Server-2022' },
      storage_mappings: { default: 'iscsi' },
    };
    expect(platform.runPolicy({ ...environment, ...more }).hasWindowsWorkerImage).toBe(true);
    const volumes = await platform.ensureVolumes(run(more), vm.disks, signal);
    const access = await startWorkerWith(
      platform,
      run(more, { ...vm, os_type: 'windows' }),
      'osmorphing-windows',
      volumes,
      signal,
    );
    expect(access.winrm?.port).toBe(5986);
    expect(access.hostKey).toBeUndefined();
    const record = cloud.world.instances.get(access.workerId);
    expect(record).toMatchObject({ imageId: cloud.idOf('image', 'Windows-Server-2022'), shape: 'VM.Standard2.1' });
    expect(Buffer.from(String(record?.metadata['user_data']), 'base64').toString()).toMatch(
      /^#ps1_sysnative[\s\S]*New-LocalUser/,
    );
    expect(live(cloud.world.attachments.values()).map(({ attachmentType }) => attachmentType)).toEqual([
      'paravirtualized',
      'paravirtualized',
    ]);
    const groups = live(cloud.world.groups.values()).filter(
      ({ freeformTags }) => freeformTags['managed-by'] === 'causeway',
    );
    expect(
      groups
        .flatMap(({ id }) => cloud.world.rules.get(id) ?? [])
        .map(({ tcpOptions }) => tcpOptions?.destinationPortRange?.min),
    ).toEqual([5986]);
    await platform.stopWorker(run(more), 'osmorphing-windows', signal);
  });

  it('a worker of an image without consistent names tells its volumes by their order', async () => {
    const platform = await open();
    const more = { migr_image_map: { linux: 'Debian-12' } };
    const volumes = await platform.ensureVolumes(run(more), vm.disks, signal);
    const access = await startWorkerWith(platform, run(more), 'disk-copy', volumes, signal);
    expect(access.attached.map(({ identity }) => identity.kind)).toEqual(['order', 'order']);
    await platform.stopWorker(run(more), 'disk-copy', signal);
  });

  it('a subnet without public addresses, or the endpoint, gives workers private ones', async () => {
    const platform = await open({}, { worker_use_public_ip: false });
    await startWorkerWith(platform, run(), 'disk-copy', [], signal);
    expect(live(cloud.world.vnics.values()).map(({ publicIp }) => publicIp)).toEqual([undefined]);
    await platform.stopWorker(run(), 'disk-copy', signal);
  });

  it('shape_name: a flexible shape gets the processors and the memory of the source', async () => {
    const platform = await open();
    expect((await deployed(platform)).record).toMatchObject({
      shape: 'VM.Standard.E4.Flex',
      shapeConfig: { ocpus: 2, memoryInGBs: 6 },
      displayName: 'web',
    });
  });

  it('shape_name: a fixed shape is as it is', async () => {
    const platform = await open();
    expect((await deployed(platform, { shape_name: 'VM.Standard2.2' })).record).toMatchObject({
      shape: 'VM.Standard2.2',
      shapeConfig: { ocpus: 2, memoryInGBs: 30 },
    });
  });

  it.for([
    ['bios', false, { firmware: 'BIOS', bootVolumeType: 'SCSI', networkType: 'E1000' }],
    ['bios', true, { firmware: 'BIOS', bootVolumeType: 'PARAVIRTUALIZED', networkType: 'PARAVIRTUALIZED' }],
    ['uefi', false, { firmware: 'UEFI_64', bootVolumeType: 'PARAVIRTUALIZED', networkType: 'PARAVIRTUALIZED' }],
  ] as const)('use_pv_mode with %s, %s', async ([firmware, use_pv_mode, options]) => {
    const platform = await open();
    const { record } = await deployed(platform, { use_pv_mode }, { ...vm, firmware });
    expect(record.launchOptions).toMatchObject(options);
    expect(record.launchMode).toBe(options.bootVolumeType === 'SCSI' ? 'EMULATED' : 'PARAVIRTUALIZED');
  });

  it.for(['storage_mappings', 'storage_mapping'])(
    '%s: how data disks are attached, by back end and disk',
    async (key) => {
      const platform = await open();
      const disks = [...vm.disks, { id: 'd2', size_bytes: gib }, { id: 'd3', size_bytes: gib }];
      const mapping = {
        default: 'paravirtualized',
        backend_mappings: [{ source: 'fast', destination: 'iscsi' }],
        disk_mappings: [{ disk_id: 'd2', destination: 'emulated' }],
      };
      const { server, copies } = await deployed(
        platform,
        { [key]: mapping, storage_mappings: key === 'storage_mappings' ? mapping : { default: 'paravirtualized' } },
        { ...vm, disks },
      );
      const types = new Map(
        live(cloud.world.attachments.values())
          .filter(({ instanceId }) => instanceId === server.id)
          .map(({ volumeId, attachmentType }) => [volumeId, attachmentType]),
      );
      expect(copies.map(({ id, diskId }) => [diskId, types.get(id)])).toEqual([
        ['d0', undefined],
        ['d1', 'iscsi'],
        ['d2', 'emulated'],
        ['d3', 'paravirtualized'],
      ]);
      expect(cloud.world.instances.get(server.id)?.lifecycleState).toBe('RUNNING');
      expect(notes.join('\n')).toContain('iSCSI (d1)');
    },
  );

  it('set_public_ip: on the first NIC alone', async () => {
    const platform = await open();
    const two = {
      ...vm,
      nics: [
        { id: 'n0', network: 'lan' },
        { id: 'n1', network: 'VM Network' },
      ],
    };
    const { server } = await deployed(platform, { set_public_ip: true }, two);
    const vnics = live(cloud.world.vnics.values()).map(({ displayName, publicIp, isPrimary }) => [
      displayName,
      publicIp !== undefined,
      isPrimary,
    ]);
    expect(vnics).toEqual([
      ['n0', true, true],
      ['n1', false, false],
    ]);
    expect(server.addresses).toHaveLength(3);
  });
});

describe('the on-line check of an environment', () => {
  it('finds all unknown names in one go, each at its place, and creates nothing', async () => {
    const platform = await open();
    expect(await findings(platform)).toEqual([]);
    expect(
      await findings(platform, {
        network_map: { lan: { id: 'nowhere', security_groups: ['none'] } },
        migr_subnet_id: 'none',
        migr_image_map: { linux: 'CP/M' },
        migr_shape_name: 'VM.1',
        shape_name: 'VM.2',
        storage_mappings: { default: 'nvme', disk_mappings: [{ disk_id: 'd1', destination: 'floppy' }] },
      }),
    ).toEqual([
      'error /network_map/lan/id name-unknown',
      'error /network_map/lan/security_groups/0 name-unknown',
      'error /migr_subnet_id name-unknown',
      'error /storage_mappings/default name-unknown',
      'error /storage_mappings/disk_mappings/0/destination name-unknown',
      'error /migr_image_map/linux name-unknown',
      'error /migr_shape_name name-unknown',
      'error /shape_name name-unknown',
    ]);
    expect(await findings(platform, { compartment: 'elsewhere' })).toEqual(['error /compartment name-unknown']);
    expect(await findings(platform, { availability_domain: 'AD-9' })).toEqual([
      'error /availability_domain name-unknown',
    ]);
    expect(cloud.world.leftovers()).toEqual([]);
  });

  it('knows what shapes, subnets and images need of each other', async () => {
    const platform = await open();
    expect(await findings(platform, { shape_name: 'VM.Standard.A1.Flex' })).toEqual([
      'error /shape_name shape-architecture',
    ]);
    expect(await findings(platform, { shape_name: 'VM.Standard2.1' })).toEqual(['warning /shape_name shape-small']);
    expect(await findings(platform, { migr_image_map: { linux: 'Windows-Server-2022' } })).toEqual([
      'error /migr_image_map/linux image-system',
    ]);
    expect(
      await findings(platform, { set_public_ip: true, network_map: { lan: { id: cloud.idOf('subnet', 'backup') } } }),
    ).toEqual(['error /set_public_ip no-public-addresses']);
  });

  it('counts service limits for volumes and worker together', async () => {
    const platform = await open({ limits: { 'block-storage/volume-count': 2 } });
    expect(await findings(platform)).toEqual(['error  quota']);
    await expect(platform.ensureVolumes(run(), vm.disks, signal)).rejects.toMatchObject({
      code: 'cloud.quota-exceeded',
    });
    expect(cloud.world.leftovers()).toEqual([]);
  });
});

describe('the check of an endpoint', () => {
  it('names the right that is missing', async () => {
    const platform = await open();
    cloud.world.forbidden.add('VirtualNetworkClient.listSubnets');
    const report = await platform.check(signal);
    expect(
      report.steps
        .filter(({ outcome }) => outcome === 'failed')
        .map(({ name, evidence }) => [
          name,
          evidence.includes('Allow group <group> to use subnets in compartment <compartment>'),
        ]),
    ).toEqual([['List subnets', true]]);
  });

  it('sees that key and fingerprint do not belong together', async () => {
    const platform = await open({}, { fingerprint: `00${':00'.repeat(15)}` });
    const { steps } = await platform.check(signal);
    expect(steps[0]).toMatchObject({
      outcome: 'warning',
      evidence: expect.stringContaining('upload its public key') as string,
    });
    expect(JSON.stringify(steps)).not.toContain('PRIVATE');
  });

  it('has a policy whose statements cover what is called', async () => {
    const platform = await open();
    const statements = (platform.policy?.() ?? []).flatMap(({ privileges }) => privileges);
    for (const right of [
      'manage volume-family',
      'manage instance-family',
      'manage instance-images',
      'use subnets',
      'manage network-security-groups',
      'manage objects',
    ])
      expect(statements.join('\n')).toContain(`to ${right} in`);
  });
});

it('the catalog without a compartment has the networks of all of them, so that a form can offer them before one is chosen', async () => {
  const platform = await open();
  const subnets = async (of: JsonObject): Promise<string[]> =>
    ((await platform.catalog(of, signal)).networks ?? []).map(({ name }) => name);
  expect(await subnets({})).toEqual(expect.arrayContaining(['production', 'workers', 'shared']));
  expect(await subnets({ compartment: 'migrations' })).not.toContain('shared');
});

it('what nobody uses any more is listed as managed: an image of zeros whose volumes are gone', async () => {
  const platform = await open();
  const [boot] = await platform.ensureVolumes(run(), vm.disks, signal);
  const kinds = async (): Promise<string[]> =>
    ((await platform.listManaged?.([environment], signal)) ?? []).map(({ kind }) => kind).sort();
  expect(await kinds()).toEqual(['volume', 'volume']);
  const record = cloud.world.volumes.get(boot?.id ?? '');
  if (record !== undefined) record.lifecycleState = 'TERMINATED';
  expect(await kinds()).toEqual(['image', 'volume']);
});

it('a bucket that a killed import left is listed as managed, and removed with what is in it; another one is left alone', async () => {
  const platform = await open();
  const add = (name: string, freeformTags: Record<string, string>) =>
    cloud.world.buckets.set(name, {
      name,
      namespace: cloud.world.setup.namespace,
      compartmentId: cloud.compartment,
      freeformTags,
      objects: new Map([['zeros.qcow2', Buffer.from('QFI')]]),
    });
  add('causeway-left', { 'managed-by': 'causeway', 'causeway-entry': 'lost', 'causeway-replica': 'replica' });
  add('holiday-pictures', {});
  const found = (await platform.listManaged?.([environment], signal)) ?? [];
  expect(found).toEqual([
    expect.objectContaining({ kind: 'other', id: 'causeway-left', entryId: 'lost', replicaId: 'replica' }),
  ]);
  const { kind, id, details } = found[0]!;
  const { ledger } = run();
  const { entry } = await ledger.ensure(
    { kind, key: 'found', lifetime: 'temporary', details },
    { find: async () => undefined, get: async () => undefined, create: async () => ({ id }) },
    signal,
  );
  await platform.removeResource(entry, ledger, signal);
  expect([...cloud.world.buckets.keys()]).toEqual(['holiday-pictures']);
});
