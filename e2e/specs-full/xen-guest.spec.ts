// needs: installed guests
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { morphLinuxGuest } from '../../electron/engine/osmorphing/index.ts';
import { closeAll } from '../rigs/closing.ts';
import { GuestFiles } from '../rigs/guests/guest-files.ts';
import { debianGuest, startMorphLab, type MorphLab } from '../rigs/guests/morph-lab.ts';

const drivers = ['xen-blkfront', 'xen-netfront'];

const initialRamDisk = async (files: GuestFiles): Promise<string> =>
  `/boot/${String((await files.names('/boot')).find((one) => one.startsWith('initrd.img-')))}`;

/** Whether the guest's initial RAM disk has each driver as a file: its index names all. */
async function inImage(files: GuestFiles): Promise<boolean[]> {
  const image = gunzipSync(await files.bytes(await initialRamDisk(files)));
  return drivers.map((driver) => [driver, driver.replaceAll('-', '_')].some((each) => image.includes(`/${each}.ko`)));
}

/** No emulator of the lab runs guests of Xen: what such a guest needs is looked for in its files. */
describe('a Debian guest whose disks have the names of Xen', () => {
  let lab: MorphLab;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-xen-'));
    lab = await startMorphLab('native');
  });
  afterAll(() =>
    closeAll(
      () => lab?.close(),
      () => rm(folder, { recursive: true, force: true }),
    ),
  );

  it.each([
    ['xvda1', '/dev/xvda1'],
    ['hda1', '/dev/hda1'],
  ])("gets Xen's drivers, and %s in its fstab becomes a UUID", async (_, device) => {
    const fstab = join(folder, 'fstab');
    await writeFile(fstab, `${device} / ext4 errors=remount-ro 0 1\n`);
    const guest = await lab.volume(2, async (path) => {
      await debianGuest(path);
      await new GuestFiles(path).replace('/etc/fstab', fstab);
    });
    const files = new GuestFiles(guest.path);
    // As built for another machine: Debian's usual one knows every platform.
    const bare = join(folder, 'bare');
    await writeFile(bare, gzipSync(Buffer.alloc(4096)));
    await files.replace(await initialRamDisk(files), bare);
    expect(await inImage(files)).toEqual([false, false]);
    await morphLinuxGuest({
      ssh: lab.ssh,
      devices: [guest.device],
      signal: new AbortController().signal,
      options: { nics: [{ macAddress: '00:21:f6:00:00:10' }], diskBuses: ['xen'], cloudInit: 'if-possible' },
    });
    expect(await inImage(files)).toEqual([true, true]);
    expect(await files.text('/etc/fstab')).toContain('UUID=11111111-2222-4333-8444-555555555555 / ext4');
    await lab.detach(guest.id);
  });
});
