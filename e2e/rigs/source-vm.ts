// needs: installed guests
import { copyFile, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { powerOn } from './emulated-vm.ts';
import type { DiskBus, SourceDisk, SourceVm, VmNic } from './emulated-vm.ts';
import { ensureDebianGuest } from './images/ensure.ts';
import type { Progress } from './images/ensure.ts';
import { run } from './machines/child-process.ts';
import { requirePrograms } from './machines/require-programs.ts';

export type { SourceDisk, SourceVm } from './emulated-vm.ts';

/** An installed guest, in files that are copied. */
export interface SourceGuest {
  /** Its disks as raw images, the one that it boots from first. */
  readonly disks: readonly string[];
  /** File of the private key that opens root's account. */
  readonly key: string;
  /** File with the variables of its UEFI firmware; without it, it starts by BIOS. */
  readonly variables?: string;
  readonly nic?: VmNic;
}

export interface SourceVmOptions {
  /** Where its disk, sockets and logs are; has to be short enough for a socket's path. */
  readonly folder: string;
  /** Default: the Debian guest. */
  readonly guest?: SourceGuest;
  /** Format of the guest's own disks, which are copied into `folder` unless they are there already. Default raw. */
  readonly format?: SourceDisk['format'];
  /** Further disks, in order; files that exist. */
  readonly dataDisks?: readonly SourceDisk[];
  /** Bus of all disks. Default `sata`: the guest knows no virtio. */
  readonly bus?: DiskBus;
  readonly name?: string;
  readonly memoryMiB?: number;
  readonly progress?: Progress;
}

/** An installed guest as a running VM, with changes as a test makes them by SSH. Resolves when it is powered on. */
export async function startSourceVm(options: SourceVmOptions): Promise<SourceVm> {
  const { folder, name = 'source-vm', bus = 'sata', format = 'raw', memoryMiB = 768 } = options;
  requirePrograms('the source VM', 'setpriv', 'qemu-system-x86_64', 'qemu-img', 'ssh');
  await mkdir(folder, { recursive: true });
  const guest = options.guest ?? (await debianSource(options.progress));
  const disks: SourceDisk[] = [];
  for (const [index, image] of guest.disks.entries())
    disks.push({
      path: await ownDisk(join(folder, `disk${index === 0 ? '' : index}.${format}`), image, format),
      format,
    });
  const keyPath = join(folder, 'id_ed25519');
  await copyFile(guest.key, keyPath);
  await run('chmod', ['600', keyPath]);
  const variables = join(folder, 'uefi-variables');
  if (guest.variables !== undefined) await copyFile(guest.variables, variables);
  return powerOn({
    folder,
    name,
    disks: [...disks, ...(options.dataDisks ?? [])],
    bus,
    memoryMiB,
    keyPath,
    ...(guest.variables === undefined ? {} : { variables }),
    ...(guest.nic === undefined ? {} : { nic: guest.nic }),
  });
}

async function debianSource(progress?: Progress): Promise<SourceGuest> {
  const image = await ensureDebianGuest(progress);
  return { disks: [join(image, 'disk.raw')], key: join(image, 'id_ed25519') };
}

async function ownDisk(path: string, built: string, format: SourceDisk['format']): Promise<string> {
  const isThere = await open(path).then(
    async (file) => {
      await file.close();
      return true;
    },
    () => false,
  );
  if (isThere) return path;
  if (format === 'raw') await run('cp', ['--sparse=always', '--reflink=auto', built, path]);
  else await run('qemu-img', ['convert', '-f', 'raw', '-O', format, built, path]);
  return path;
}
