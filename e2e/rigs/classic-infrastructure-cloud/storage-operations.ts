import { randomUUID } from 'node:crypto';
import { created, noContent, ok } from '../cloud-kit/call.ts';
import type { MachineVolume } from '../cloud-kit/server-machines.ts';
import { conflict, demand, fileOf, invalid, listReply, machineOf, nameOf, newName, refuse, text } from './world.ts';
import type { AttachmentRecord, Call, Operation, SnapshotRecord, VolumeRecord, World } from './world.ts';

const gib = 2 ** 30;
const collocated = '/oracle/private/storage/snapshot/collocated';
const pools = ['/oracle/public/storage/default', '/oracle/public/storage/latency', '/oracle/public/storage/ssd/gpl'];
const units: Readonly<Record<string, number>> = { '': 1, B: 1, K: 2 ** 10, M: 2 ** 20, G: gib, T: 2 ** 40 };

function sizeOf(value: unknown): number {
  const [, digits, unit = ''] = /^(\d+)([BKMGT]?)$/i.exec(String(value)) ?? [];
  const bytes = Number(digits) * (units[unit.toUpperCase()] ?? Number.NaN);
  if (typeof value !== 'string' || !Number.isInteger(bytes) || bytes < 1 || bytes > 2048 * gib)
    throw invalid('size must be from 1G to 2T');
  return bytes;
}

const poolsOf = (value: unknown): readonly string[] => {
  const given = (value ?? []) as readonly string[];
  if (given.length !== 1 || !pools.includes(given[0] ?? '')) throw invalid('properties must name one storage pool');
  return given;
};
const shownVolume = (volume: VolumeRecord): object => ({
  ...volume,
  account: '/Compute-lab/default',
  managed: true,
  readonly: false,
  hypervisor: '',
  storage_pool: '',
  uri: '',
});
const shownSnapshot = (snapshot: SnapshotRecord): object => ({
  ...snapshot,
  account: '/Compute-lab/default',
  status_detail: '',
  uri: '',
});
const shownAttachment = ({ isFixed: _, ...attachment }: AttachmentRecord): object => attachment;

export const listVolumes: Operation = (call) => listReply(call, call.world.volumes.listed(), shownVolume);
export const getVolume: Operation = (call) => ok(shownVolume(demand(call.world.volumes, call)));

export const createVolume: Operation = (call) => {
  const { world, body } = call;
  const name = newName(call, world.volumes);
  const size = sizeOf(body['size']);
  const properties = poolsOf(body['properties']);
  const bootable = body['bootable'] === true;
  const snapshot =
    body['snapshot_id'] === undefined
      ? undefined
      : [...world.snapshots.values()].find((one) => one.snapshot_id === body['snapshot_id']);
  if (body['snapshot_id'] !== undefined && snapshot === undefined)
    throw refuse(404, `No such snapshot ${String(body['snapshot_id'])}`);
  if (snapshot !== undefined && snapshot.status !== 'completed') throw conflict(`The snapshot is ${snapshot.status}`);
  if (snapshot !== undefined && size < Number(snapshot.size))
    throw invalid('size is smaller than that of the snapshot');
  // An empty volume has nothing to boot; a volume of a snapshot boots if the snapshot was taken of one that was to.
  if (bootable && body['imagelist'] === undefined && snapshot?.parent_volume_bootable !== 'true')
    throw invalid('A bootable volume needs an image list, or a snapshot of a bootable volume');
  const image =
    body['imagelist'] === undefined
      ? undefined
      : world.images.demand(text(body, 'imagelist'), (what) => invalid(`No such ${what}`));
  const volume: VolumeRecord = {
    name,
    size: String(size),
    status: 'Initializing',
    status_detail: 'The storage volume is being initialized.',
    properties,
    bootable,
    description: String(body['description'] ?? ''),
    tags: (body['tags'] ?? []) as readonly string[],
    platform: 'linux',
    ...(image === undefined ? {} : { imagelist: image.name }),
    ...(snapshot === undefined ? {} : { snapshot_id: snapshot.snapshot_id }),
  };
  world.volumes.set(name, volume);
  world.transition({
    fault: call.fault,
    work: async () => {
      if (snapshot === undefined) return world.ground.files.createBlank(fileOf(name), size);
      await world.ground.files.copy(snapshot.snapshot_id, fileOf(name));
      await world.ground.files.grow(fileOf(name), size);
    },
    succeed: () => {
      Object.assign(volume, { status: 'Online', status_detail: '' });
    },
    fail: (reason) => {
      Object.assign(volume, { status: 'Error', status_detail: reason });
    },
  });
  return created(shownVolume(volume));
};

export const updateVolume: Operation = (call) => {
  const { world, body } = call;
  const volume = demand(world.volumes, call);
  const size = sizeOf(body['size']);
  if (size < Number(volume.size)) throw invalid('A storage volume can not be made smaller');
  if (volume.status !== 'Online') throw conflict(`The storage volume is ${volume.status}`);
  volume.properties = poolsOf(body['properties']);
  volume.tags = (body['tags'] ?? []) as readonly string[];
  volume.description = String(body['description'] ?? '');
  if (size > Number(volume.size)) {
    volume.status = 'Updating';
    world.transition({
      fault: call.fault,
      work: () => world.ground.files.grow(fileOf(volume.name), size),
      succeed: () => {
        Object.assign(volume, { size: String(size), status: 'Online' });
      },
      fail: (reason) => {
        Object.assign(volume, { status: 'Error', status_detail: reason });
      },
    });
  }
  return ok(shownVolume(volume));
};

export const deleteVolume: Operation = (call) => {
  const { world } = call;
  const volume = demand(world.volumes, call);
  if (volume.status === 'Deleting') return noContent();
  if (volume.status === 'Initializing' || volume.status === 'Updating')
    throw conflict(`The storage volume is ${volume.status}`);
  if ([...world.attachments.values()].some((one) => one.storage_volume_name === volume.name))
    throw conflict('The storage volume is attached to an instance');
  if ([...world.snapshots.values()].some((one) => one.volume === volume.name && one.property === collocated))
    throw conflict('The storage volume has collocated snapshots');
  volume.status = 'Deleting';
  world.transition({
    fault: call.fault,
    work: () => world.ground.files.remove(fileOf(volume.name)),
    succeed: () => {
      world.volumes.delete(volume.name);
    },
    fail: (reason) => {
      Object.assign(volume, { status: 'Error', status_detail: reason });
    },
  });
  return noContent();
};

export const listSnapshots: Operation = (call) => listReply(call, call.world.snapshots.listed(), shownSnapshot);
export const getSnapshot: Operation = (call) => ok(shownSnapshot(demand(call.world.snapshots, call)));

export const createSnapshot: Operation = (call) => {
  const { world, body } = call;
  const name = newName(call, world.snapshots);
  const volume = world.volumes.demand(text(body, 'volume'), (what) => refuse(404, `No such ${what}`));
  if (volume.status !== 'Online') throw conflict(`The storage volume is ${volume.status}`);
  const snapshot: SnapshotRecord = {
    name,
    snapshot_id: randomUUID(),
    volume: volume.name,
    property: String(body['property'] ?? ''),
    size: volume.size,
    status: 'initializing',
    parent_volume_bootable: volume.bootable ? 'true' : String(body['parent_volume_bootable'] ?? 'false'),
    tags: (body['tags'] ?? []) as readonly string[],
  };
  world.snapshots.set(name, snapshot);
  // What it holds is as of now.
  const taken = world.ground.files.copy(fileOf(volume.name), snapshot.snapshot_id);
  taken.catch(() => undefined);
  world.transition({
    fault: call.fault,
    work: () => taken,
    succeed: () => {
      snapshot.status = 'completed';
    },
    fail: () => {
      snapshot.status = 'error';
    },
  });
  return created(shownSnapshot(snapshot));
};

export const deleteSnapshot: Operation = (call) => {
  const { world } = call;
  const snapshot = demand(world.snapshots, call);
  if (snapshot.status === 'deleting') return noContent();
  if (snapshot.status === 'initializing') throw conflict('The snapshot is being created');
  // Volumes of a collocated snapshot share its blocks.
  if (
    snapshot.property === collocated &&
    [...world.volumes.values()].some((one) => one.snapshot_id === snapshot.snapshot_id)
  )
    throw conflict('A storage volume was created from the snapshot and still exists');
  const before = snapshot.status;
  snapshot.status = 'deleting';
  world.transition({
    fault: call.fault,
    work: () => world.ground.files.remove(snapshot.snapshot_id),
    succeed: () => {
      world.snapshots.delete(snapshot.name);
    },
    fail: () => {
      snapshot.status = before;
    },
  });
  return noContent();
};

export const listAttachments: Operation = (call) => listReply(call, call.world.attachments.listed(), shownAttachment);
export const getAttachment: Operation = (call) => ok(shownAttachment(demand(call.world.attachments, call)));

export function attachable(world: World, name: unknown): VolumeRecord {
  const volume = world.volumes.demand(typeof name === 'string' ? name : '', (what) =>
    refuse(404, `No such ${what} ${String(name)}`),
  );
  if (volume.status !== 'Online') throw conflict(`The storage volume is ${volume.status}`);
  if ([...world.attachments.values()].some((one) => one.storage_volume_name === volume.name))
    throw conflict(`The storage volume ${volume.name} is attached already`);
  return volume;
}

export const attach: Operation = (call: Call) => {
  const { world, body } = call;
  const instance = world.instances.demand(text(body, 'instance_name'), (what) => refuse(404, `No such ${what}`));
  const volume = attachable(world, body['storage_volume_name']);
  const index = Number(body['index']);
  if (!Number.isInteger(index) || index < 1 || index > 10) throw invalid('index must be from 1 to 10');
  if (world.attachmentsOf(instance.name).some((one) => one.index === index))
    throw conflict(`The index ${index} is in use`);
  if (instance.state !== 'running') throw conflict(`The instance is ${instance.state}`);
  const attachment = world.bind(instance, volume.name, index, 'attaching', false);
  world.transition({
    fault: call.fault,
    work: () => world.ground.machines.attach(machineOf(instance.name), machineVolume(world, attachment)),
    succeed: () => {
      if (attachment.state === 'attaching') attachment.state = 'attached';
    },
    fail: () => {
      world.attachments.delete(attachment.name);
    },
  });
  return created(shownAttachment(attachment));
};

export const detach: Operation = (call) => {
  const { world } = call;
  const attachment = demand(world.attachments, call);
  if (attachment.isFixed)
    throw invalid('A storage volume that was attached when the instance was launched can not be detached');
  if (attachment.state === 'detaching') return noContent();
  if (attachment.state !== 'attached') throw conflict(`The attachment ${nameOf(call)} is ${attachment.state}`);
  attachment.state = 'detaching';
  world.transition({
    fault: call.fault,
    work: () => world.ground.machines.detach(machineOf(attachment.instance_name), attachment.storage_volume_name),
    succeed: () => {
      world.attachments.delete(attachment.name);
    },
    fail: () => {
      attachment.state = 'attached';
    },
  });
  return noContent();
};

/** The kernel names a volume by its index; the lab's machines can't name a device, but lead to it by that name. */
export function machineVolume(world: World, { index, storage_volume_name: name }: AttachmentRecord): MachineVolume {
  return {
    volumeId: name,
    path: world.ground.files.path(fileOf(name)),
    device: { byPath: `xvd${String.fromCharCode(97 + index)}` },
  };
}
