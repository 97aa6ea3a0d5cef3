import { mkdir, open, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { PluginId } from '../../../shared/model/plugin-id.ts';
import { qemuHarness } from '../../conformance/qemu-harness.ts';
import type { SourceHarness } from '../../conformance/source-harness.ts';
import { startClassicCloud } from '../classic-infrastructure-cloud/start.ts';
import { fileOf } from '../classic-infrastructure-cloud/world.ts';
import { startLargePublicCloud } from '../large-public-cloud/start.ts';
import { labMachines, usualWorkerKind } from '../machines/kinds.ts';
import { startAzureLab, stockVm as stockAzureVm } from '../resource-group-cloud/source-lab.ts';
import { workerEnvironment } from '../server-virtualization-manager/source-harness.ts';
import { startManager, stockVm as stockOvmVm } from '../server-virtualization-manager/start.ts';
import { vsphereHarness } from '../virtualization-platform/source-harness.ts';
import { startHyperv } from '../windows-hypervisor/start.ts';

const MiB = 2 ** 20;

/** A VM of two small disks on one platform, as the product's own connection reaches it. */
export interface PairSource {
  readonly connection: JsonObject;
  readonly vmId: string;
  readonly environment: JsonObject;
  /** What its guest writes: the disk's number, where, and what. Nothing lies behind 8 MiB. */
  write(disk: number, offset: number, bytes: Buffer): Promise<void>;
  /** The disks as files, by their ids. */
  files(): Promise<Readonly<Record<string, string>>>;
  /** What is there because of replication. */
  leftovers(): Promise<readonly string[]>;
  close(): Promise<void>;
}

const machines = labMachines({ worker: usualWorkerKind });

/** Disks that are only in memory, or in another format, as files. */
async function asFiles(
  folder: string,
  disks: readonly (readonly [id: string, content: Buffer])[],
): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const [index, [id, content]] of disks.entries()) {
    files[id] = join(folder, `disk-${index}`);
    await writeFile(files[id], content);
  }
  return files;
}

async function put(path: string, offset: number, bytes: Buffer): Promise<void> {
  await using file = await open(path, 'r+');
  await file.write(bytes, 0, bytes.length, offset);
}

/** What a harness of the conformance suite has already; that writes one byte over and over. */
function ofHarness(harness: SourceHarness, connection: object, folder: string, write: PairSource['write']): PairSource {
  return {
    connection: JSON.parse(JSON.stringify(connection)) as JsonObject,
    vmId: harness.vmId,
    environment: harness.environment,
    write,
    files: async () =>
      asFiles(
        folder,
        await Promise.all(harness.diskIds.map(async (id, index) => [id, await harness.content(index)] as const)),
      ),
    leftovers: () => harness.leftovers(),
    close: () => harness.close(),
  };
}

/** Starts each source; `folder` is empty and goes with the test. */
export const pairSources: Readonly<Partial<Record<PluginId, (folder: string) => Promise<PairSource>>>> = {
  async 'disk-images'(folder) {
    const paths = ['a.raw', 'b.raw'].map((name) => join(folder, 'images', 'web', name));
    await mkdir(join(folder, 'images', 'web'), { recursive: true });
    for (const path of paths) {
      await writeFile(path, '');
      await truncate(path, 8 * MiB);
    }
    return {
      connection: { path: join(folder, 'images'), os_type: 'linux' },
      vmId: 'web',
      environment: {},
      write: (disk, offset, bytes) => put(paths[disk] ?? '', offset, bytes),
      files: async () => Object.fromEntries(paths.map((path) => [path.split('/').at(-1) ?? '', path])),
      leftovers: async () => [],
      close: async () => undefined,
    };
  },
  async 'qemu-hypervisor'(folder) {
    const scratch = join(folder, 'scratch');
    await mkdir(scratch);
    const harness = await qemuHarness({ scratchFolder: scratch });
    return ofHarness(
      harness,
      { qmp_sockets: { 'web-01': join(harness.folder, 'source.qmp') }, scratch_folder: scratch },
      folder,
      async (disk, offset, bytes) => {
        const pattern = join(folder, 'pattern');
        await writeFile(pattern, bytes);
        await harness.qemu().io(harness.disks[disk]?.qdev ?? '', `write -s ${pattern} ${offset} ${bytes.length}`);
      },
    );
  },
  async 'virtualization-platform'(folder) {
    const harness = await vsphereHarness();
    return ofHarness(harness, harness.rig.connection, folder, async (disk, offset, bytes) =>
      harness.rig.world.memory(harness.vm, disk).write(offset, bytes),
    );
  },
  async 'windows-hypervisor'(folder) {
    const rig = await startHyperv();
    const vm = rig.world.addVm('web');
    // What it boots from is a boot sector.
    Object.assign(vm.facts, { generation: 1, secureBoot: false });
    const disks = [rig.world.addDisk(vm, 8 * MiB), rig.world.addDisk(vm, 8 * MiB)];
    return {
      connection: {
        host: '127.0.0.1',
        port: rig.hosts[0]?.port ?? 0,
        username: rig.username,
        password: rig.password,
        certificate_sha256: [rig.hosts[0]?.certificateSha256 ?? ''],
        rct_port: rig.rct.port,
        rct_password: rig.rct.key,
      },
      vmId: vm.id,
      environment: { verify_rct_server: 'no' },
      write: async (disk, offset, bytes) => disks[disk]?.write(offset, bytes),
      files: () =>
        asFiles(
          folder,
          disks.map(({ identifier, content }) => [identifier, content]),
        ),
      leftovers: async () => [...vm.checkpoints, ...vm.referencePoints].map(({ id }) => id),
      close: () => rig.close(),
    };
  },
  async 'large-public-cloud'() {
    const aws = await startLargePublicCloud({ transitionMs: 3, machines });
    const { world } = aws;
    const instance = world.addInstance('web', { bootMode: 'legacy-bios' });
    const volumes = [await world.addVolume(1), await world.addVolume(1)];
    for (const [index, volume] of volumes.entries())
      world.attach(volume, instance.id, index === 0 ? instance.rootDevice : '/dev/sdf');
    return {
      connection: aws.connection({ caller_address: '127.0.0.0/8' }) as JsonObject,
      vmId: instance.id,
      environment: {},
      write: (disk, offset, bytes) => world.ground.files.write(volumes[disk]?.id ?? '', offset, bytes),
      files: async () => Object.fromEntries(volumes.map(({ id }) => [id, world.ground.files.path(id)])),
      leftovers: async () => [...world.snapshots.keys()],
      async close() {
        await aws.close();
        if (aws.violations.length > 0) throw new Error(aws.violations.join('; '));
      },
    };
  },
  async 'resource-group-cloud'() {
    const { cloud, connection, close } = await startAzureLab();
    await stockAzureVm(cloud, {
      name: 'web',
      disks: [
        { name: 'web-os', sizeBytes: 8 * MiB },
        { name: 'web-data', sizeBytes: 8 * MiB },
      ],
    });
    const paths = [...cloud.world.disks.values()].map(
      ({ id, name }) => [`${cloud.resourceGroup}/${name}`, cloud.volumePath(id)] as const,
    );
    return {
      connection,
      vmId: `${cloud.resourceGroup}/web`,
      environment: { location: cloud.location, resource_group: cloud.resourceGroup },
      write: (disk, offset, bytes) => put(paths[disk]?.[1] ?? '', offset, bytes),
      files: async () => Object.fromEntries(paths),
      leftovers: async () => cloud.world.leftovers(),
      close,
    };
  },
  async 'classic-infrastructure-cloud'() {
    const cloud = await startClassicCloud({ transitionMs: 3, machines });
    const { world } = cloud;
    const { files } = world.ground;
    const volumes = [
      await world.addVolume('web_root', 8 * MiB, { bootable: true }),
      await world.addVolume('web_data', 8 * MiB),
    ];
    const instance = world.addInstance('web', volumes);
    return {
      connection: cloud.connection({ caller_address: '127.0.0.0/8' }) as JsonObject,
      vmId: instance.name,
      environment: { export_image_name: 'OL_8.9_UEKR6_x86_64', export_shape_name: 'oc3' },
      write: (disk, offset, bytes) => files.write(fileOf(volumes[disk]?.name ?? ''), offset, bytes),
      files: async () => Object.fromEntries(volumes.map(({ name }) => [name, files.path(fileOf(name))])),
      leftovers: async () => world.leftovers(),
      close: () => cloud.close(),
    };
  },
  async 'server-virtualization-manager'() {
    const manager = await startManager({ transitionMs: 3, machines: labMachines({ worker: 'user' }) });
    const { world } = manager;
    const { files } = world.ground;
    world.hasExporter = false;
    const { vm, disks } = await stockOvmVm(world, 'web', [8 * MiB, 8 * MiB]);
    return {
      connection: manager.connection,
      vmId: vm.id.value,
      environment: { ...workerEnvironment },
      write: (disk, offset, bytes) => files.write(disks[disk]?.id.value ?? '', offset, bytes),
      files: async () => Object.fromEntries(disks.map(({ id }) => [id.value, files.path(id.value)])),
      leftovers: async () => world.leftovers(),
      close: () => manager.close(),
    };
  },
};
