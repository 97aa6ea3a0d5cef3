// needs: emulated machines, fdisk, e2fsprogs
import { createHash } from 'node:crypto';
import { access, mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { powerOn } from './emulated-vm.ts';
import type { SourceVm } from './emulated-vm.ts';
import { ensureWorkerInitramfs } from './images/ensure.ts';
import type { Progress } from './images/ensure.ts';
import { run } from './machines/child-process.ts';
import type { Seed } from './machines/cloud-config.ts';
import { requirePrograms } from './machines/require-programs.ts';
import { makeKeyPair } from './rig-ssh.ts';

export interface DataDiskVmOptions {
  /** Where its disk, sockets and logs are; has to be short enough for a socket's path. */
  readonly folder: string;
  readonly name?: string;
  readonly memoryMiB?: number;
  readonly progress?: Progress;
}

const diskMiB = 1024;
/** Where the first partition begins. */
const partitionOffset = 2 ** 20;

/**
 * A source VM that nobody needs root for: its system is an initramfs, and its only disk holds data: an MBR, one ext4
 * partition, in it the files `f1` to `f4` and their checksums, mounted at `/srv/data` as in the Debian guest. Resolves
 * when it is powered on.
 */
export async function startDataDiskVm(options: DataDiskVmOptions): Promise<SourceVm> {
  const { folder, name = 'source-vm', memoryMiB = 640 } = options;
  requirePrograms('the source VM', 'setpriv', 'qemu-system-x86_64', 'mke2fs', 'sfdisk', 'ssh', 'ssh-keygen');
  await mkdir(folder, { recursive: true });
  const image = await ensureWorkerInitramfs(options.progress);
  const disk = join(folder, 'disk.raw');
  if (!(await isThere(disk))) await makeDataDisk(disk, folder);
  if (!(await isThere(join(folder, 'id_ed25519')))) await makeKeyPair(folder, 'id_ed25519');
  const keyPath = join(folder, 'id_ed25519');
  const seedPath = join(folder, 'seed.json');
  await writeFile(seedPath, JSON.stringify(await seed(keyPath)), { mode: 0o600 });
  const vm = await powerOn({
    folder,
    name,
    memoryMiB,
    keyPath,
    bus: 'virtio',
    disks: [{ path: disk, format: 'raw' }],
    kernel: [
      '-kernel',
      join(image, 'vmlinuz'),
      '-initrd',
      join(image, 'initrd'),
      '-append',
      `console=ttyS0 quiet rdinit=/init causeway.name=${name}`,
      '-fw_cfg',
      `name=opt/causeway/seed,file=${seedPath}`,
    ],
  });
  return {
    ...vm,
    // Nothing in this guest hears a power button: what counts for its disk is that the file system was unmounted.
    shutdown: async () => {
      await vm.ssh.text('umount /srv/data');
      await vm.close();
    },
  };
}

async function seed(keyPath: string): Promise<Seed> {
  // A key that is taken out of the private file is the one that fits, wherever the folder came from.
  const publicKey = (await run('ssh-keygen', ['-y', '-f', keyPath])).trim();
  return {
    users: [{ name: 'root', authorizedKeys: [publicKey] }],
    hostKeys: {},
    files: [],
    // Mounted before SSH answers, so that nobody writes below the mount point.
    commands: ['modprobe ext4 && mkdir -p /srv/data && mount /dev/vda1 /srv/data'],
  };
}

/** Written without mounting anything and without a loop device: `mke2fs -d` fills a file system in a file. */
async function makeDataDisk(path: string, folder: string): Promise<void> {
  const files = join(folder, 'data');
  await mkdir(files, { recursive: true });
  const sums: string[] = [];
  for (const [index, name] of ['f1', 'f2', 'f3', 'f4'].entries()) {
    const content = uncompressible(index, 32 * 2 ** 20);
    await writeFile(join(files, name), content);
    sums.push(`${createHash('sha256').update(content).digest('hex')}  ${name}\n`);
  }
  await writeFile(join(files, 'SHA256SUMS'), sums.join(''));
  const partial = `${path}.partial`;
  await writeFile(partial, '');
  await truncate(partial, diskMiB * 2 ** 20);
  await run('sh', [
    '-c',
    'printf "label: dos\\nlabel-id: 0x5eedda7a\\nstart=2048, type=83\\n" | sfdisk -q "$1"',
    'sh',
    partial,
  ]);
  await run('mke2fs', [
    '-q',
    '-F',
    '-t',
    'ext4',
    '-L',
    'data',
    '-m',
    '0',
    '-E',
    `offset=${partitionOffset},root_owner=0:0,lazy_itable_init=0`,
    '-d',
    files,
    partial,
    `${(diskMiB - partitionOffset / 2 ** 20) * 1024}k`,
  ]);
  await run('mv', [partial, path]);
  await run('rm', ['-r', files]);
}

/** The same bytes for the same number at any time. */
function uncompressible(number: number, bytes: number): Buffer {
  const shake = createHash('shake256', { outputLength: bytes });
  return shake.update(`file ${number}`).digest();
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
