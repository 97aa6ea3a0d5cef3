import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { labEnvironment } from '../machines/child-process.ts';
import { requirePrograms } from '../machines/require-programs.ts';

/** Told line by line what a build does. */
export type Progress = (line: string) => void;

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const quiet: Progress = () => {};

/** Where built images are kept: `CAUSEWAY_CACHE`, or `.cache/rigs` of the project. */
export const imageCache = process.env['CAUSEWAY_CACHE'] ?? here('../../../.cache/rigs');

/** The root file system of native workers, as a folder. Needs root: what it holds belongs to root. */
export function ensureWorkerRoot(progress: Progress = quiet): Promise<string> {
  return ensureImage('worker-root', ['build-worker-root.sh', 'worker-root.packages', 'apt-sources.sh'], progress);
}

/** A folder with `vmlinuz` and `initrd` of the worker that is an initramfs alone. */
export function ensureWorkerInitramfs(progress: Progress = quiet): Promise<string> {
  const sources = [
    'build-initramfs-worker.sh',
    'initramfs-worker.packages',
    'initramfs-init.sh',
    'udhcpc-script.sh',
    '../machines/apply-seed.py',
    '../machines/cloud-seed.py',
    'apt-sources.sh',
  ];
  return ensureImage('worker-initramfs', sources, progress, ['cpio', 'modprobe']);
}

/** A folder with `disk.raw`, a Debian guest that boots from SATA and knows no virtio, and `id_ed25519` for its root account. */
export function ensureDebianGuest(progress: Progress = quiet): Promise<string> {
  return ensureImage('debian-guest', ['build-debian-guest.sh', 'debian-guest.packages', 'apt-sources.sh'], progress, [
    'sfdisk',
    'mke2fs',
    'ssh-keygen',
  ]);
}

/** The same kernel and system run by rpm, dnf, dracut and NetworkManager, as the RHEL family is. */
export function ensureRpmGuest(progress: Progress = quiet): Promise<string> {
  const sources = [
    'build-rpm-guest.sh',
    'build-debian-guest.sh',
    'debian-guest.packages',
    'rpm-guest.packages',
    'rpm-guest.sh',
    'apt-sources.sh',
  ];
  return ensureImage('rpm-guest', sources, progress, ['sfdisk', 'mke2fs', 'ssh-keygen']);
}

/** The same guest with the tools of other layouts (LVM, btrfs, UEFI), to be laid out on other disks. */
export function ensureLayoutSource(progress: Progress = quiet): Promise<string> {
  const sources = [
    'build-layout-source.sh',
    'build-debian-guest.sh',
    'debian-guest.packages',
    'layout-source.packages',
    'layout-source.sh',
    'apt-sources.sh',
  ];
  return ensureImage('layout-source', sources, progress, ['sfdisk', 'mke2fs', 'ssh-keygen']);
}

/** The same guest as a VM of generation 2 on Hyper-V has it, to be laid out on a disk for UEFI: its initramfs knows Hyper-V alone, its boot loaders are signed. */
export function ensureHypervGuest(progress: Progress = quiet): Promise<string> {
  const sources = [
    'build-hyperv-guest.sh',
    'build-debian-guest.sh',
    'debian-guest.packages',
    'hyperv-guest.packages',
    'hyperv-guest.sh',
    'apt-sources.sh',
  ];
  return ensureImage('hyperv-guest', sources, progress, ['sfdisk', 'mke2fs', 'ssh-keygen']);
}

/** A folder with `node.exe`, Windows' own Node, and `prefix`, a computer of Wine to copy. */
export function ensureWindowsNode(progress: Progress = quiet): Promise<string> {
  return ensureImage('windows-node', ['build-windows-node.sh'], progress, ['wine', 'npm']);
}

/**
 * Builds by the first of `sources`, unless the cache has the result of just these sources. Several processes may ask at
 * once: one builds, the others wait; a build that was killed leaves nothing that is taken for a result.
 */
async function ensureImage(
  name: string,
  sources: readonly string[],
  progress: Progress,
  programs: readonly string[] = [],
): Promise<string> {
  const hash = createHash('sha256');
  for (const source of sources) hash.update(source).update(await readFile(here(source)));
  const target = join(imageCache, `${name}-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(target)) return target;
  requirePrograms(`the image ${name}`, 'mmdebstrap', ...programs);
  await mkdir(imageCache, { recursive: true });
  const script = [
    'exec 9> "$2.lock" && flock 9 || exit 1',
    '[ ! -e "$2" ] || exit 0',
    'rm -rf "$2.partial" && "$1" "$2.partial" && mv "$2.partial" "$2" && rm -f "$2.lock"',
  ].join('\n');
  const child = spawn('bash', ['-c', script, 'bash', here(sources[0] ?? ''), target], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: labEnvironment,
  });
  const complaints: string[] = [];
  createInterface({ input: child.stdout }).on('line', progress);
  createInterface({ input: child.stderr }).on('line', (line) => {
    complaints.push(line);
    progress(line);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0 || !existsSync(target)) {
    throw new Error(`the image ${name} was not built (exit code ${String(code)}): ${complaints.slice(-15).join('\n')}`);
  }
  return target;
}
