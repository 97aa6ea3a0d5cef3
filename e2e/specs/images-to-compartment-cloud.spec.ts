// needs: booted volumes
import { randomBytes } from 'node:crypto';
import { mkdir, open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compartmentCloudConnection, compartmentCloudEnvironment } from '../conformance/compartment-cloud-labs.ts';
import { closeAll } from '../rigs/closing.ts';
import { startCompartmentCloud, type CompartmentCloud } from '../rigs/compartment-cloud/start.ts';
import { smallPreparation } from '../rigs/guests/deployable-lab.ts';
import { talkingBootSector } from '../rigs/guests/talking-boot-sector.ts';
import { labMachines, usualWorkerKind } from '../rigs/machines/kinds.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';

const MiB = 2 ** 20;
let cloud: CompartmentCloud;
let lab: ProjectLab;
let files: Record<string, string>;

async function put(file: string, offset: number, bytes: Buffer): Promise<void> {
  await using handle = await open(files[file] ?? '', 'r+');
  await handle.write(bytes, 0, bytes.length, offset);
}

beforeAll(async () => {
  cloud = await startCompartmentCloud({ transitionMs: 3, machines: labMachines({ worker: usualWorkerKind }) });
  lab = await startProjectLab({ core: { guests: smallPreparation(() => false) } });
  const folder = join(lab.images, 'web');
  await mkdir(folder);
  files = { 'a.raw': join(folder, 'a.raw'), 'b.raw': join(folder, 'b.raw') };
  for (const [name, head] of [
    ['a.raw', talkingBootSector('(initramfs) ')],
    ['b.raw', randomBytes(MiB)],
  ] as const) {
    const path = files[name] ?? '';
    await using file = await open(path, 'w');
    await file.write(head, 0, head.length, 0);
    await truncate(path, 64 * MiB);
  }
  // Workers that are processes of a user know volumes by their order alone.
  const image = process.geteuid?.() === 0 ? 'Oracle-Linux-9' : 'Debian-12';
  await lab.use(async (core) => {
    await core.call('endpoint.add', {
      name: 'oci',
      plugin: 'compartment-cloud',
      connection: compartmentCloudConnection(cloud, { caller_address: '127.0.0.0/8' }) as never,
    });
    await core.call('replica.create', {
      name: 'web',
      source: 'images',
      destination: 'oci',
      vm: 'web',
      destinationEnvironment: {
        ...compartmentCloudEnvironment(cloud),
        network_map: { default: { id: cloud.idOf('subnet', 'production') } },
        migr_image_map: { linux: cloud.idOf('image', image) },
        use_pv_mode: false,
      },
    });
  });
});
afterAll(() =>
  closeAll(
    () => lab.close(),
    () => expect([...new Set(cloud.violations)]).toEqual([]),
    () => cloud.close(),
  ),
);

/** Undefined when each disk is, byte for byte, at the beginning of its volume. */
async function difference(): Promise<string | undefined> {
  const { disks } = await lab.use((core) => core.call('replica.show', { replica: 'web' }));
  for (const [diskId, path] of Object.entries(files)) {
    const volumeId = disks.find((disk) => disk.diskId === diskId)?.volumeId ?? '';
    await using source = await open(path);
    const expected = (await source.read(Buffer.alloc(64 * MiB), 0, 64 * MiB, 0)).buffer;
    if (!(await cloud.world.ground.files.read(volumeId, 0, 64 * MiB)).equals(expected)) return diskId;
  }
  return undefined;
}

const left = (): string[] => cloud.world.leftovers().map((line) => line.split(' ')[0] ?? '');

it('a VM of disk images is copied byte for byte into a boot volume and a data volume', async () => {
  expect(await lab.execute('web')).toMatchObject({ state: 'completed', leftBehind: 0 });
  expect(await difference()).toBeUndefined();
  expect(left()).toEqual(['volume', 'volume']);
});

it('is brought up to date by what changed, also where that became zeros', async () => {
  await put('a.raw', 40 * MiB, randomBytes(MiB));
  await put('b.raw', 0, Buffer.alloc(MiB / 2));
  expect(await lab.execute('web')).toMatchObject({ state: 'completed', leftBehind: 0 });
  expect(await difference()).toBeUndefined();
});

it('is deployed as an instance that boots, from clones, and is deleted with nothing left', async () => {
  const { id } = await lab.use((core) =>
    core.call('deployment.create', {
      replica: 'web',
      options: { bootCheck: { mode: 'console', deadlineSeconds: 90 } },
    }),
  );
  const deployment = await lab.use((core) => core.call('deployment.show', { deployment: id }));
  expect(deployment).toMatchObject({ state: 'completed' });
  expect(left().toSorted()).toEqual(['server', 'volume', 'volume', 'volume', 'volume']);
  await lab.use((core) => core.call('deployment.delete', { deployment: id, dryRun: false }));
  expect(left()).toEqual(['volume', 'volume']);
  await lab.use((core) => core.call('replica.delete', { replica: 'web' }));
  expect(left()).toEqual([]);
});
