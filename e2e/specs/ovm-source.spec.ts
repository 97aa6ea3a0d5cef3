import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOvmSource } from '../../electron/engine/platforms/server-virtualization-manager/source/index.ts';
import {
  ovmHarness,
  workerEnvironment,
  type OvmHarness,
} from '../rigs/server-virtualization-manager/source-harness.ts';

const signal = new AbortController().signal;
const MIB = 2 ** 20;
let harness: OvmHarness;

const snapshot = (environment: object = workerEnvironment, tag = 'tag-1') =>
  harness.platform.createSnapshot({ vmId: harness.vmId, tag, environment: { ...environment } }, signal);
const clones = () => [...harness.manager.world.disks.values()].filter(({ name }) => name.startsWith('causeway-'));

describe('with the exporter on its servers', () => {
  beforeEach(async () => {
    harness = await ovmHarness();
  });
  afterEach(() => harness.close());

  it('describes VMs as the manager has them, without templates', async () => {
    const { world } = harness.manager;
    expect(await harness.platform.listVms(signal)).toEqual([
      {
        id: harness.vmId,
        name: 'web',
        os_type: 'linux',
        power: 'running',
        diskCount: 2,
        totalBytes: 24 * MIB,
        cluster: 'pool-1',
      },
    ]);
    expect(await harness.platform.describeVm(harness.vmId, signal)).toMatchObject({
      name: 'web',
      os_type: 'linux',
      firmware: 'bios',
      vcpus: 2,
      memory_mb: 1024,
      disks: [
        { id: harness.diskIds[0], bootable: true, bus: 'xen', storage_backend: 'repo-1' },
        { id: harness.diskIds[1], bootable: false },
      ],
      nics: [{ network: 'VM Network', mac_address: '00:21:f6:0f:d6:2c', ip_addresses: ['10.20.0.4'] }],
    });
    const element = world.idOf('StorageElement', '0004fb0000180000aa', 'lun');
    const mapping = world.add(world.mappings, 'VmDiskMapping', 'lun', {
      vmId: harness.vm.id,
      virtualDiskId: null,
      storageElementId: element,
      diskTarget: 5,
    });
    harness.vm.vmDiskMappingIds = [...harness.vm.vmDiskMappingIds, mapping.id];
    harness.vm.osType = 'None';
    expect(await harness.platform.unsupportedDevices?.(harness.vmId, signal)).toEqual([
      expect.stringContaining('physical disk at target 5'),
      expect.stringContaining('assumed to be Linux'),
    ]);
    expect((await harness.platform.describeVm(harness.vmId, signal)).disks).toHaveLength(2);
  });

  it('offers what the environments name', async () => {
    const options = await harness.platform.options(
      ['repositories', 'templates', 'networks', 'server_pools', 'unheard'],
      signal,
    );
    expect(
      Object.fromEntries(Object.entries(options).map(([name, list]) => [name, list.map((each) => each.name)])),
    ).toEqual({
      repositories: ['repo-1', 'repo-2'],
      templates: ['linux-worker'],
      networks: ['VM Network', 'vlan-20'],
      server_pools: ['pool-1'],
    });
  });

  it('signs in once, and again when its session has ended', async () => {
    const { world } = harness.manager;
    for (let round = 0; round < 3; round += 1) await harness.platform.options(['repositories'], signal);
    expect(world.signIns).toBe(1);
    world.sessions.clear();
    expect((await harness.platform.options(['repositories'], signal))['repositories']).toHaveLength(2);
    expect(world.signIns).toBe(2);
  });

  it('names a wrong password and an unknown certificate by their codes', async () => {
    const failing = async (more: object) => {
      const source = createOvmSource(
        { ...harness.manager.connection, ...more },
        { scratchFolder: harness.manager.folder },
      );
      const { passed, steps } = await source.check(signal);
      await source.close();
      return { passed, code: steps.find(({ outcome }) => outcome === 'failed')?.code };
    };
    expect(await failing({ password: 'wrong' })).toEqual({ passed: false, code: 'cloud.authentication-failed' });
    expect(await failing({ ca_certificate: '' })).toEqual({ passed: false, code: 'cloud.certificate-not-trusted' });
  });

  it('says in its check where the exporter is, and that it is nowhere', async () => {
    const step = async () =>
      (await harness.platform.check(signal)).steps.find(({ name }) => name === 'Connect to exporters');
    expect(await step()).toMatchObject({
      outcome: 'passed',
      evidence: 'on server-1.example.com, server-2.example.com',
    });
    harness.manager.world.hasExporter = false;
    expect(await step()).toMatchObject({ outcome: 'warning' });
  });

  it('does not change to a worker when the exporter that took the base is away', async () => {
    const base = await snapshot({});
    await harness.platform.promoteToBase(base, undefined, signal);
    harness.manager.world.hasExporter = false;
    const next = harness.platform.createSnapshot(
      { vmId: harness.vmId, tag: 'tag-2', environment: workerEnvironment, base },
      signal,
    );
    await expect(next).rejects.toMatchObject({ code: 'source.unreachable' });
    expect(clones()).toEqual([]);
  });

  it('takes the one new snapshot for its own when the answer was lost, and removes it with the base', async () => {
    const { faults, world } = harness.manager;
    faults.add({ operation: 'exporterCreateSnapshot', effect: 'connection-reset-after' });
    const taken = await snapshot({});
    expect(world.snapshots.size).toBe(1);
    await harness.platform.deleteBase(taken, signal);
    expect(await harness.leftovers()).toEqual([]);
  });

  it('shuts a VM down, and says so when the manager cannot', async () => {
    harness.manager.faults.add({ operation: 'stopVm', effect: 'status-error' });
    await expect(harness.platform.shutdown?.(harness.vmId, {}, signal)).rejects.toMatchObject({
      code: 'source.shutdown-refused',
    });
    await harness.platform.shutdown?.(harness.vmId, {}, signal);
    expect(harness.vm.vmRunState).toBe('STOPPED');
    await harness.platform.shutdown?.(harness.vmId, {}, signal);
  });

  it('starts a VM again, and says so when the manager cannot', async () => {
    await harness.platform.shutdown?.(harness.vmId, {}, signal);
    harness.manager.faults.add({ operation: 'startVm', effect: 'status-error' });
    await expect(harness.platform.start?.(harness.vmId, {}, signal)).rejects.toMatchObject({
      code: 'life.source-not-started',
    });
    await harness.platform.start?.(harness.vmId, {}, signal);
    await harness.platform.start?.(harness.vmId, {}, signal);
    expect(harness.vm.vmRunState).toBe('RUNNING');
  });
});

describe('without the exporter', () => {
  beforeEach(async () => {
    harness = await ovmHarness({ hasExporter: false });
  });
  afterEach(() => harness.close());

  it('names what its worker lacks before anything is made', async () => {
    for (const key of Object.keys(workerEnvironment)) {
      const { [key as keyof typeof workerEnvironment]: _, ...environment } = workerEnvironment;
      await expect(harness.platform.prepare(harness.vmId, environment, signal)).rejects.toMatchObject({
        code: 'cloud.parameter-missing',
        details: { parameter: key },
      });
    }
    await expect(
      harness.platform.prepare(harness.vmId, { ...workerEnvironment, repository_name: 'none' }, signal),
    ).rejects.toMatchObject({ code: 'cloud.name-unknown', details: { parameter: 'repository_name' } });
    await expect(
      harness.platform.prepare(harness.vmId, { ...workerEnvironment, export_template_name: 'web' }, signal),
    ).rejects.toMatchObject({ code: 'cloud.name-unknown', details: { parameter: 'export_template_name' } });
    await harness.platform.prepare(harness.vmId, workerEnvironment, signal);
    expect(await harness.leftovers()).toEqual([]);
  });

  it('keeps the password of the template out of what it records', async () => {
    const taken = await snapshot();
    expect(JSON.stringify(taken)).not.toContain(workerEnvironment.export_template_password);
    await harness.platform.discardSnapshot(taken, undefined, signal);
  });

  it('clones each disk into the repository as the parameter says, and removes the clones', async () => {
    harness.vm.vmRunState = 'STOPPED';
    const { calls, world } = harness.manager;
    const repository = [...world.repositories.values()].find(({ name }) => name === 'repo-2');
    const taken = await snapshot({
      ...workerEnvironment,
      repository_name: 'repo-2',
      virtual_disk_clone_type: 'SPARSE_COPY',
    });
    expect(clones().map(({ size, repositoryId }) => [size, repositoryId.value])).toEqual([
      [16 * MIB, repository?.id.value],
      [8 * MIB, repository?.id.value],
    ]);
    expect(calls.filter(({ operation }) => operation === 'cloneDisk')).toHaveLength(2);
    expect(await harness.platform.isAlive(taken, signal)).toBe(true);
    await harness.platform.discardSnapshot(taken, undefined, signal);
    expect(await harness.leftovers()).toEqual([]);
  });

  it('falls back to copies of a stopped VM where the repository has no thin clones', async () => {
    const { world, calls } = harness.manager;
    for (const id of world.repositories.keys()) world.withoutThinClones.add(id);
    harness.vm.vmRunState = 'STOPPED';
    const taken = await snapshot();
    expect(clones()).toHaveLength(2);
    expect(calls.filter(({ operation }) => operation === 'cloneDisk')).toHaveLength(4);
    expect(harness.notes.filter((note) => note.includes('cannot be cloned by THIN_CLONE'))).toHaveLength(2);
    await harness.platform.discardSnapshot(taken, undefined, signal);
    expect(await harness.leftovers()).toEqual([]);
  });

  it('refuses to copy the disks of a running VM while its guest writes to them', async () => {
    const { world } = harness.manager;
    await expect(
      harness.platform.prepare(harness.vmId, { ...workerEnvironment, virtual_disk_clone_type: 'SPARSE_COPY' }, signal),
    ).rejects.toMatchObject({
      code: 'source.unsupported',
      details: { parameter: 'virtual_disk_clone_type' },
    });
    for (const id of world.repositories.keys()) world.withoutThinClones.add(id);
    await expect(snapshot()).rejects.toMatchObject({ code: 'source.snapshot-failed' });
    await harness.platform.discardPending?.({ vmId: harness.vmId, tag: 'tag-1' }, signal);
    expect(await harness.leftovers()).toEqual([]);
  });

  it.each(['connection-reset-after', '502-after'] as const)(
    'finds a clone again whose answer was lost (%s)',
    async (effect) => {
      harness.manager.faults.add({ operation: 'cloneDisk', effect });
      const taken = await snapshot();
      expect(clones()).toHaveLength(2);
      await harness.platform.discardSnapshot(taken, undefined, signal);
      expect(await harness.leftovers()).toEqual([]);
    },
  );

  it('names its clones among what it created', async () => {
    const taken = await snapshot();
    const managed = await harness.platform.listManaged?.(signal);
    expect(managed?.map(({ kind, id }) => [kind, id])).toEqual(clones().map(({ id }) => ['volume', id.value]));
    await harness.platform.discardSnapshot(taken, undefined, signal);
  });
});
