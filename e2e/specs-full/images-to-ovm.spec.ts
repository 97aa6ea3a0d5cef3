// needs: booted volumes
import { randomBytes } from 'node:crypto';
import { mkdir, open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ovmEnvironment } from '../conformance/ovm-labs.ts';
import { closeAll } from '../rigs/closing.ts';
import { smallPreparation } from '../rigs/guests/deployable-lab.ts';
import { talkingBootSector } from '../rigs/guests/talking-boot-sector.ts';
import { labMachines } from '../rigs/machines/kinds.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';
import { startManager, type SimulatedManager } from '../rigs/server-virtualization-manager/start.ts';

const MiB = 2 ** 20;
let manager: SimulatedManager;
let lab: ProjectLab;
let files: Record<string, string>;

async function put(file: string, offset: number, bytes: Buffer): Promise<void> {
  await using handle = await open(files[file] ?? '', 'r+');
  await handle.write(bytes, 0, bytes.length, offset);
}

beforeAll(async () => {
  manager = await startManager({ transitionMs: 3, machines: labMachines({ worker: 'user' }) });
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
  await lab.use(async (core) => {
    await core.call('endpoint.add', {
      name: 'manager',
      plugin: 'server-virtualization-manager',
      connection: manager.connection,
    });
    await core.call('replica.create', {
      name: 'web',
      source: 'images',
      destination: 'manager',
      vm: 'web',
      destinationEnvironment: { ...ovmEnvironment, network_map: { default: 'VM Network' } },
    });
  });
});
afterAll(() =>
  closeAll(
    () => lab?.close(),
    () => manager?.close(),
  ),
);

/** Undefined when each disk is, byte for byte, at the beginning of its volume. */
async function difference(): Promise<string | undefined> {
  const { disks } = await lab.use((core) => core.call('replica.show', { replica: 'web' }));
  for (const [diskId, path] of Object.entries(files)) {
    const volumeId = disks.find((disk) => disk.diskId === diskId)?.volumeId ?? '';
    await using source = await open(path);
    const expected = (await source.read(Buffer.alloc(64 * MiB), 0, 64 * MiB, 0)).buffer;
    if (!(await manager.world.ground.files.read(volumeId, 0, 64 * MiB)).equals(expected)) return diskId;
  }
  return undefined;
}

const left = (): string[] =>
  manager.world
    .leftovers()
    .map((line) => line.split(' ')[0] ?? '')
    .toSorted();

it('a VM of disk images is copied byte for byte by a worker from the template, and brought up to date by what changed', async () => {
  expect(await lab.execute('web')).toMatchObject({ state: 'completed', leftBehind: 0 });
  expect(await difference()).toBeUndefined();
  expect(left()).toEqual(['disk', 'disk']);
  await put('a.raw', 40 * MiB, randomBytes(MiB));
  await put('b.raw', 0, Buffer.alloc(MiB / 2));
  expect(await lab.execute('web')).toMatchObject({ state: 'completed', leftBehind: 0 });
  expect(await difference()).toBeUndefined();
});

it('is deployed as a VM that boots from a copy, and is deleted with nothing left', async () => {
  const { id } = await lab.use((core) =>
    core.call('deployment.create', { replica: 'web', options: { bootCheck: { mode: 'none' } } }),
  );
  const deployment = await lab.use((core) => core.call('deployment.show', { deployment: id }));
  expect(deployment, JSON.stringify(deployment.error)).toMatchObject({ state: 'completed' });
  await expect.poll(() => manager.world.ground.machines.log(deployment.server?.id ?? '')).toContain('web login: ');
  expect(left()).toEqual(['VM', 'disk', 'disk', 'disk', 'disk', 'mapping', 'mapping', 'nic']);
  await lab.use((core) => core.call('deployment.delete', { deployment: id, dryRun: false }));
  expect(left()).toEqual(['disk', 'disk']);
  await lab.use((core) => core.call('replica.delete', { replica: 'web' }));
  expect(left()).toEqual([]);
});

it('is left powered off where the environment asks for it, without waiting for a boot', async () => {
  await lab.use((core) =>
    core.call('replica.create', {
      name: 'off',
      source: 'images',
      destination: 'manager',
      vm: 'web',
      destinationEnvironment: {
        ...ovmEnvironment,
        network_map: { default: 'VM Network' },
        leave_migrated_vm_off: true,
      },
    }),
  );
  expect(await lab.execute('off')).toMatchObject({ state: 'completed', leftBehind: 0 });
  const { id } = await lab.use((core) => core.call('deployment.create', { replica: 'off' }));
  const deployment = await lab.use((core) => core.call('deployment.show', { deployment: id }));
  expect(deployment, JSON.stringify(deployment.error)).toMatchObject({
    state: 'completed',
    server: { isOff: true },
    boot: { outcome: 'not-checked' },
  });
  expect(manager.world.vms.get(deployment.server?.id ?? '')?.vmRunState).toBe('STOPPED');
  await lab.use((core) => core.call('deployment.delete', { deployment: id, dryRun: false }));
  await lab.use((core) => core.call('replica.delete', { replica: 'off' }));
  expect(left()).toEqual([]);
});
