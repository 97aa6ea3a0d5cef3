import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { classicSourceHarness, type ClassicSourceLab } from '../rigs/classic-infrastructure-cloud/source-harness.ts';
import { labMachines, usualWorkerKind } from '../rigs/machines/kinds.ts';
import { resolveAddress } from '../rigs/machines/reachable-port.ts';

/** The account's VMs, their snapshots, and the worker that reads them: each parameter by its effect on the cloud's records. Reading itself is in the full tier's suite. */

const signal = new AbortController().signal;
let lab: ClassicSourceLab;
beforeEach(async () => {
  lab = await classicSourceHarness();
});
afterEach(() => lab.close());

const snapshot = (tag = 'tag') =>
  lab.platform.createSnapshot({ vmId: lab.vmId, tag, environment: lab.environment }, signal);

describe('the inventory', () => {
  it('has the volumes of an instance by index, the one that it boots from first', async () => {
    const [listed] = await lab.platform.listVms(signal);
    expect(listed).toEqual({
      id: lab.vmId,
      name: 'web',
      os_type: 'linux',
      power: 'running',
      diskCount: 2,
      totalBytes: 16 * 2 ** 20,
      folder: 'me@example.com',
      tags: ['team: web'],
    });
    expect(await lab.platform.describeVm(lab.vmId, signal)).toEqual({
      id: lab.vmId,
      name: 'web',
      os_type: 'linux',
      firmware: 'bios',
      vcpus: 2,
      memory_mb: 7680,
      disks: [
        {
          id: lab.diskIds[0],
          size_bytes: 8 * 2 ** 20,
          bootable: true,
          bus: 'xen',
          storage_backend: '/oracle/public/storage/default',
        },
        {
          id: lab.diskIds[1],
          size_bytes: 8 * 2 ** 20,
          bootable: false,
          bus: 'xen',
          storage_backend: '/oracle/public/storage/latency',
        },
      ],
      nics: [{ id: 'eth0', network: 'production', mac_address: 'c6:b0:00:00:00:01', ip_addresses: ['192.168.10.5'] }],
    });
    expect(await lab.platform.unsupportedDevices?.(lab.vmId, signal)).toEqual([
      expect.stringContaining('one after the other'),
    ]);
  });

  it('refuses what has no volume to boot from, and what does not run', async () => {
    const bare = lab.cloud.world.addInstance('bare', [], { boot_order: [] });
    await expect(lab.platform.prepare(bare.name, lab.environment, signal)).rejects.toMatchObject({
      code: 'source.unsupported',
    });
    const more = lab.cloud.world.bind(lab.instance, '/Compute-lab/other@example.com/secret', 5, 'attached', false);
    await expect(lab.platform.prepare(lab.vmId, lab.environment, signal)).rejects.toMatchObject({
      code: 'source.unsupported',
      details: { volumes: [more.storage_volume_name] },
    });
    lab.cloud.world.attachments.delete(more.name);
    lab.instance.state = 'shutdown';
    await expect(snapshot()).rejects.toMatchObject({
      code: 'source.unsupported',
      message: expect.stringContaining('running') as string,
    });
    await expect(lab.platform.describeVm('/Compute-lab/me@example.com/none/0', signal)).rejects.toMatchObject({
      code: 'source.vm-not-found',
    });
  });
});

describe('snapshots', () => {
  it('are collocated, one a volume, and one request each however often they are asked for', async () => {
    const taken = await snapshot();
    const again = await lab
      .reopen()
      .createSnapshot({ vmId: lab.vmId, tag: 'tag', environment: lab.environment }, signal);
    expect(again).toEqual(taken);
    expect([...lab.cloud.world.snapshots.values()].map(({ volume, property }) => [volume, property])).toEqual(
      lab.diskIds.map((id) => [id, '/oracle/private/storage/snapshot/collocated']),
    );
    await lab.platform.assertUnchanged(taken, signal);
    await lab.platform.discardSnapshot(taken, undefined, signal);
    expect(await lab.leftovers()).toEqual([]);
  });

  it('that fail are told with what the platform says, and removed', async () => {
    lab.cloud.faults.add({ operation: 'snapshot.create', nth: 2, effect: 'status-error' });
    await expect(snapshot()).rejects.toMatchObject({ code: 'source.snapshot-failed' });
    expect(await lab.leftovers()).toEqual([]);
  });

  it('that are gone are told before success is recorded', async () => {
    const taken = await snapshot();
    await lab.spoil(taken);
    await expect(lab.platform.assertUnchanged(taken, signal)).rejects.toMatchObject({ code: 'source.snapshot-lost' });
    await lab.platform.discardSnapshot(taken, undefined, signal);
    expect(await lab.leftovers()).toEqual([]);
  });
});

it('names what a worker lacks before anything is made', async () => {
  await expect(lab.platform.prepare(lab.vmId, {}, signal)).rejects.toMatchObject({
    code: 'cloud.parameter-missing',
    details: { parameter: 'export_image_name' },
  });
  await expect(
    lab.platform.prepare(lab.vmId, { export_image_name: 'none', export_shape_name: 'oc3' }, signal),
  ).rejects.toMatchObject({ code: 'cloud.name-unknown' });
  await expect(
    lab.platform.prepare(lab.vmId, { export_image_name: 'OL_8.9_UEKR6_x86_64', export_shape_name: 'oc99' }, signal),
  ).rejects.toMatchObject({ code: 'cloud.name-unknown' });
});

it('refuses a VM whose volumes do not fit beside the root volume of the worker', async () => {
  const { world } = lab.cloud;
  for (let index = 3; index <= 10; index += 1)
    world.bind(lab.instance, (await world.addVolume(`data-${index}`, 2 ** 20)).name, index, 'attached', false);
  await lab.platform.prepare(lab.vmId, lab.environment, signal);
  await expect(
    lab.platform.prepare(lab.vmId, { ...lab.environment, export_root_disk_size: 12 }, signal),
  ).rejects.toMatchObject({
    code: 'source.unsupported',
    message: expect.stringContaining('export_root_disk_size') as string,
  });
});

it('export_*: a worker of this image, shape, account and root volume reads a copy, and leaves nothing', async () => {
  const environment = {
    export_image_name: '/oracle/public/OL_8.9_UEKR6_x86_64',
    export_img_username: 'opc',
    export_shape_name: 'oc4',
    export_root_disk_size: 12,
  };
  const own = await classicSourceHarness({
    cloud: { machines: labMachines({ worker: usualWorkerKind }) },
    connection: { caller_address: '127.0.0.0/8' },
    context: { resolveAddress },
    environment,
  });
  try {
    const { world } = own.cloud;
    await own.write(1, 65_536, 65_536, 0x5a);
    const taken = await own.platform.createSnapshot({ vmId: own.vmId, tag: 'tag', environment }, signal);
    const reader = await own.platform.openDisk(taken, own.diskIds[1] ?? '', undefined, signal);
    const worker = [...world.instances.values()].find(({ name }) => name !== own.vmId);
    expect(worker).toMatchObject({ shape: 'oc4', imagelist: '', boot_order: [1] });
    expect(worker?.script.join('\n')).toContain('useradd -m -s /bin/sh opc');
    const attached = world
      .attachmentsOf(worker?.name ?? '')
      .map(({ index, storage_volume_name: name }) => ({ index, volume: world.volumes.get(name) }));
    expect(attached).toMatchObject([
      { index: 1, volume: { size: String(12 * 2 ** 30), bootable: true, imagelist: environment.export_image_name } },
      { index: 2, volume: { size: String(8 * 2 ** 20), properties: ['/oracle/public/storage/latency'] } },
    ]);
    const read = Buffer.alloc(65_536);
    await reader.read(65_536, read, signal);
    expect(read.every((byte) => byte === 0x5a)).toBe(true);
    await reader.close();
    await own.platform.promoteToBase(taken, undefined, signal);
    expect(await own.leftovers()).toEqual([]);
  } finally {
    await own.close();
  }
});
