import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Program → the Debian package that brings it. */
const packages: Readonly<Record<string, string>> = {
  cpio: 'cpio',
  go: 'golang-go',
  guestfish: 'guestfish',
  ip: 'iproute2',
  losetup: 'mount',
  mke2fs: 'e2fsprogs',
  mmdebstrap: 'mmdebstrap',
  modprobe: 'kmod',
  python3: 'python3',
  'qemu-img': 'qemu-utils',
  'qemu-system-x86_64': 'qemu-system-x86',
  setpriv: 'util-linux',
  sfdisk: 'fdisk',
  slirp4netns: 'slirp4netns',
  ssh: 'openssh-client',
  'ssh-keygen': 'openssh-client',
  unshare: 'util-linux',
  'virt-customize': 'guestfs-tools',
  'virt-v2v-in-place': 'virt-v2v',
  wine: 'wine',
};

// Not everybody has the system's folders on the search path.
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];

/** Throws one line that names what is missing and how to get it, before anything is started. */
export function requirePrograms(purpose: string, ...programs: readonly string[]): void {
  const missing = programs.filter((program) => !hasProgram(program));
  if (missing.length === 0) return;
  const names = [...new Set(missing.map((program) => packages[program] ?? program))].join(', ');
  throw new Error(`${purpose} needs the Debian packages ${names} (node scripts/bootstrap.js installs them)`);
}

/** Whether the program is on this machine. */
export function hasProgram(program: string): boolean {
  return folders.some((folder) => isExecutable(join(folder, program)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
