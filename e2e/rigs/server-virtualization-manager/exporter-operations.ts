import { createHash, randomUUID } from 'node:crypto';
import { ApiError, created, noContent, notFound, ok, type Operation } from '../cloud-kit/call.ts';
import { account, type ExporterSnapshotRecord, type World } from './world.ts';

/** The cluster of the simulated file system. */
const clusterBytes = 64 * 1024;
const mountpoint = '/OVS/Repositories/0004fb0000030000lab';

const login: Operation<World> = ({ world, body }) => {
  if (!world.hasExporter) throw new ApiError(503, 'no such service');
  if (body['username'] !== account.username || body['password'] !== account.password)
    throw new ApiError(401, 'invalid user name or password');
  const token = randomUUID();
  world.tokens.add(token);
  return ok({ token });
};

const getVm: Operation<World> = ({ world, params }) => {
  const vm = world.vms.demand(params['vm']);
  return ok({ friendly_name: vm.name, name: vm.id.value });
};

export const snapshotFile = (id: string, disk: string): string => `snapshot-${id}-${disk}`;

const createSnapshot: Operation<World> = async ({ world, params }) => {
  const vm = world.vms.demand(params['vm']);
  const id = randomUUID();
  const disks: ExporterSnapshotRecord['disks'][number][] = [];
  for (const { value } of vm.vmDiskMappingIds) {
    const disk = world.disks.get(world.mappings.get(value)?.virtualDiskId?.value ?? '');
    if (disk === undefined) continue;
    const name = disk.id.value;
    await world.ground.files.copy(name, snapshotFile(id, name));
    disks.push({
      name,
      path: `${mountpoint}/snapshots/${id}/${name}`,
      parent_path: `${mountpoint}/VirtualDisks/${name}`,
      repo_mountpoint: mountpoint,
      chunks: await chunksOf(world, name),
    });
  }
  const snapshot = { id, vm_id: vm.id.value, disks };
  world.snapshots.set(id, snapshot);
  return created(snapshot);
};

/** Where a file has data. Content that was written anew lies at a place of its own; what was not stays where it is. */
async function chunksOf(world: World, disk: string): Promise<ExporterSnapshotRecord['disks'][number]['chunks']> {
  const { files } = world.ground;
  const chunks = [];
  for (const index of await files.allocatedBlocks(disk, clusterBytes)) {
    const content = await files.read(disk, index * clusterBytes, clusterBytes);
    const place = createHash('sha256').update(`${disk} ${index} `).update(content).digest().readUIntBE(0, 4);
    chunks.push({ start: index * clusterBytes, length: clusterBytes, physical_start: place * clusterBytes });
  }
  return chunks;
}

const demandSnapshot = (world: World, vm: string | undefined, id: string | undefined): ExporterSnapshotRecord => {
  const found = world.snapshots.get(id ?? '');
  if (found === undefined || found.vm_id !== vm) throw notFound('snapshot');
  return found;
};

const listSnapshots: Operation<World> = ({ world, params }) =>
  ok(
    [...world.snapshots.values()]
      .filter(({ vm_id: vm }) => vm === params['vm'])
      .map((one) => ({ ...one, disks: one.disks.map((disk) => ({ ...disk, chunks: [] })) })),
  );

const getSnapshot: Operation<World> = ({ world, params, query }) => {
  const snapshot = demandSnapshot(world, params['vm'], params['id']);
  if (query.get('squashChunks') !== 'false') throw new ApiError(501, 'this stand-in merges no chunks');
  return ok(snapshot);
};

const deleteSnapshot: Operation<World> = async ({ world, params }) => {
  const { id, disks } = demandSnapshot(world, params['vm'], params['id']);
  world.snapshots.delete(id);
  for (const { name } of disks) await world.ground.files.remove(snapshotFile(id, name));
  return noContent();
};

const readDisk: Operation<World> = async ({ world, params, headers }) => {
  const { id, disks } = demandSnapshot(world, params['vm'], params['id']);
  const disk = disks.find(({ name }) => name === params['disk']);
  if (disk === undefined) throw notFound('disk');
  const range = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '');
  if (range === null) throw new ApiError(416, 'a range is needed');
  const [first, last] = [Number(range[1]), Number(range[2])];
  return {
    status: 206,
    headers: { 'content-type': 'application/octet-stream' },
    body: await world.ground.files.read(snapshotFile(id, disk.name), first, last - first + 1),
  };
};

export const exporterOperations: Readonly<Record<string, Operation<World>>> = {
  exporterLogin: login,
  exporterGetVm: getVm,
  exporterListSnapshots: listSnapshots,
  exporterCreateSnapshot: createSnapshot,
  exporterGetSnapshot: getSnapshot,
  exporterDeleteSnapshot: deleteSnapshot,
  exporterReadDisk: readDisk,
};

/** `X` stands for the exporter's interface. */
export const exporterRoutes: Readonly<Record<string, string>> = {
  'POST X/auth/login': 'exporterLogin',
  'GET X/vms/{vm}/': 'exporterGetVm',
  'GET X/vms/{vm}/snapshots/': 'exporterListSnapshots',
  'POST X/vms/{vm}/snapshots/': 'exporterCreateSnapshot',
  'GET X/vms/{vm}/snapshots/{id}/': 'exporterGetSnapshot',
  'DELETE X/vms/{vm}/snapshots/{id}/': 'exporterDeleteSnapshot',
  'GET X/vms/{vm}/snapshots/{id}/disks/{disk}': 'exporterReadDisk',
};
