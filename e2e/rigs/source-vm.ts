import { copyFile, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { powerOn } from './emulated-vm.ts';
import type { DiskBus, SourceDisk, SourceVm } from './emulated-vm.ts';
import { ensureDebianGuest } from './images/ensure.ts';
import type { Progress } from './images/ensure.ts';
import { run } from './machines/child-process.ts';
import { requirePrograms } from './machines/require-programs.ts';

export type { SourceDisk, SourceVm } from './emulated-vm.ts';

export interface SourceVmOptions {
  /** Where its disk, sockets and logs are; has to be short enough for a socket's path. */
  readonly folder: string;
  /** Format of the guest's own disk, which is copied into `folder` unless it is there already. Default raw. */
  readonly format?: SourceDisk['format'];
  /** Further disks, in order; files that exist. */
  readonly dataDisks?: readonly SourceDisk[];
  /** Bus of all disks. Default `sata`: the guest knows no virtio. */
  readonly bus?: DiskBus;
  readonly name?: string;
  readonly memoryMiB?: number;
  readonly progress?: Progress;
}

/** The Debian guest as a running VM, with changes as a test makes them by SSH. Resolves when it is powered on. */
export async function startSourceVm(options: SourceVmOptions): Promise<SourceVm> {
  const { folder, name = 'source-vm', bus = 'sata', format = 'raw', memoryMiB = 768 } = options;
  requirePrograms('the source VM', 'setpriv', 'qemu-system-x86_64', 'qemu-img', 'ssh');
  await mkdir(folder, { recursive: true });
  const image = await ensureDebianGuest(options.progress);
  const disks = [{ path: await ownDisk(folder, image, format), format }, ...(options.dataDisks ?? [])];
  const keyPath = join(folder, 'id_ed25519');
  await copyFile(join(image, 'id_ed25519'), keyPath);
  await run('chmod', ['600', keyPath]);
  return powerOn({ folder, name, disks, bus, memoryMiB, keyPath });
}

async function ownDisk(folder: string, image: string, format: SourceDisk['format']): Promise<string> {
  const path = join(folder, `disk.${format}`);
  const isThere = await open(path).then(async (file) => { await file.close(); return true; }, () => false);
  if (isThere) return path;
  const built = join(image, 'disk.raw');
  if (format === 'raw') await run('cp', ['--sparse=always', '--reflink=auto', built, path]);
  else await run('qemu-img', ['convert', '-f', 'raw', '-O', format, built, path]);
  return path;
}
