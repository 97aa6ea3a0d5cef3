import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureLayoutSource, imageCache } from '../images/ensure.ts';
import { run } from '../machines/child-process.ts';
import type { DiskBus } from '../emulated-vm.ts';

/** A kind of guest that moved machines are of. */
export interface CorpusGuest {
  readonly about: string;
  /** Makes it of the Debian guest, within the installation; runs as root there, before anything is prepared. */
  readonly script: string;
  /** The file system of its root. Default ext4. */
  readonly fileSystem?: 'ext4' | 'xfs';
  /** Its preparation ends with this code, with the guest as it was. */
  readonly refused?: string;
  /** Commands in the guest that show of which kind it is once it was moved, and what they print. */
  readonly shows?: readonly (readonly [command: string, expected: RegExp])[];
}

const quietly = '>/dev/null 2>&1';
const install = (packages: string): string => `(apt-get -q update && apt-get -q -y --no-install-recommends install ${packages}) ${quietly}`;
// An update of GRUB's menu asks for the devices of the worker, which are none of this guest.
const keepMenu = 'chmod -x /etc/kernel/postinst.d/zz-update-grub /etc/kernel/postrm.d/zz-update-grub 2>/dev/null || true';
const version = 'V=$(ls /boot/vmlinuz-*-amd64 | grep -v cloud | sed "s,.*vmlinuz-,,")';
const virtio = 'virtio_blk virtio_scsi virtio_pci virtio_net virtio virtio_ring';

/** All of Debian's archive, each small. */
export const corpus: Readonly<Record<string, CorpusGuest>> = {
  'initramfs-tools': { about: 'a list of modules without VirtIO (MODULES=list)', script: 'true' },
  'initramfs-tools-dep': {
    about: 'modules of the machine that it is built on alone (MODULES=dep)', script: "sed -i 's/^MODULES=.*/MODULES=dep/' /etc/initramfs-tools/conf.d/sata-only",
    shows: [['grep -h ^MODULES /etc/initramfs-tools/conf.d/sata-only', /^MODULES=dep$/]],
  },
  'dracut-hostonly': {
    about: 'dracut for the machine that it runs on (hostonly)',
    script: `${keepMenu}\n${install('dracut')}\n${version}\nprintf 'hostonly="yes"\\n' > /etc/dracut.conf.d/10-here.conf\n`
      + `dracut --force --hostonly --add-drivers "ahci sd_mod ext4" --omit-drivers "${virtio}" /boot/initrd.img-$V $V ${quietly}`,
    shows: [['dpkg -s dracut | grep ^Status', /installed$/]],
  },
  'dracut-generic': {
    about: 'dracut for any machine, without the drivers of VirtIO',
    script: `${keepMenu}\n${install('dracut')}\n${version}\nprintf 'hostonly="no"\\n' > /etc/dracut.conf.d/10-here.conf\ndracut --force --no-hostonly --omit-drivers "${virtio}" /boot/initrd.img-$V $V ${quietly}`,
    shows: [['dpkg -s dracut | grep ^Status', /installed$/]],
  },
  'two-kernels': {
    about: 'a second kernel without AHCI, which the menu starts by default',
    script: `${keepMenu}\n${install('linux-image-cloud-amd64')}\nC=$(ls /boot/vmlinuz-*-cloud-amd64 | sed "s,.*vmlinuz-,,")\n${version}\n`
      + "sed -i \"s,^menuentry,set default=0\\nmenuentry \\\"Cloud\\\" {\\n  linux /boot/vmlinuz-$C root=$(grep -o 'UUID=[^ ]*' /etc/fstab | head -1) ro console=ttyS0 quiet\\n  initrd /boot/initrd.img-$C\\n}\\nmenuentry,\" /boot/grub/grub.cfg",
    shows: [['uname -r', /(?<!-cloud)-amd64$/]],
  },
  'names-by-place': {
    about: '/etc/fstab and the kernel\'s arguments name the disk by its place', shows: [['grep -c "^UUID=.* / " /etc/fstab', /^1$/]],
    script: "sed -i 's,^UUID=[^ ]* / ,/dev/sda1 / ,' /etc/fstab\nsed -i 's,root=UUID=[^ ]*,root=/dev/sda1,' /boot/grub/grub.cfg",
  },
  'network-manager': {
    about: 'NetworkManager with a static address',
    script: `${install('network-manager')}\nrm -f /etc/network/interfaces\napt-get -q -y purge ifupdown ${quietly}\nmkdir -p /etc/NetworkManager/system-connections\n`
      + 'printf "[connection]\\nid=lan\\ntype=ethernet\\ninterface-name=ens3\\n\\n[ethernet]\\nmac-address=00:50:56:AA:BB:01\\n\\n[ipv4]\\nmethod=manual\\naddress1=192.0.2.5/24,192.0.2.1\\n" > /etc/NetworkManager/system-connections/lan.nmconnection\n'
      + 'chmod 600 /etc/NetworkManager/system-connections/lan.nmconnection',
    shows: [['nmcli -g GENERAL.STATE device show ens3', /^100/]],
  },
  'bridge': {
    about: 'ifupdown with a bridge on a card that has no lines of its own',
    script: `${install('bridge-utils')}\nprintf 'auto lo\\niface lo inet loopback\\n\\nauto br0\\niface br0 inet static\\n  address 192.0.2.5/24\\n  bridge_ports ens3\\n' > /etc/network/interfaces`,
    shows: [['ip -4 -o addr show ens3', /inet 10\.0\.2\.15/]],
  },
  'multipath': {
    about: 'multipath with bindings of the source\'s disk',
    script: `${install('multipath-tools')}\nmkdir -p /etc/multipath\nprintf 'mpatha 36000c29a1b2c3d4e5f60718293a4b5c6\\n' > /etc/multipath/bindings\nprintf '/36000c29a1b2c3d4e5f60718293a4b5c6/\\n' > /etc/multipath/wwids`,
    shows: [['grep -c 6000c29 /etc/multipath/bindings /etc/multipath/wwids | paste -sd" "', /bindings:0 .*wwids:0$/]],
  },
  'selinux': {
    about: 'SELinux with the default policy',
    script: `${install('selinux-policy-default policycoreutils selinux-utils')}\nprintf 'SELINUX=permissive\\nSELINUXTYPE=default\\n' > /etc/selinux/config\nsed -i 's, ro console, ro security=selinux console,' /boot/grub/grub.cfg`,
    shows: [['getenforce', /^Permissive$/], ['stat -c %C /etc/passwd', /:etc_t:/]],
  },
  'xfs': { about: 'root on XFS', script: 'true', fileSystem: 'xfs', shows: [['findmnt -no FSTYPE /', /^xfs$/]] },
  'full': { about: 'no room for another initial RAM disk', script: 'head -c 2G /dev/zero > /srv/full 2>/dev/null || true\ntruncate -s -2M /srv/full', refused: 'osmorphing.no-space' },
};

export const corpusBuses = ['scsi', 'virtio', 'ide', 'sata'] as const satisfies readonly DiskBus[];

/** The driver that a disk of each bus has. */
export const busDrivers: Readonly<Record<(typeof corpusBuses)[number], string>> = { scsi: 'virtio_scsi', virtio: 'virtio_blk', ide: 'ata_piix', sata: 'ahci' };

/** What a guest of the corpus is made of. */
const sources = ['copy-guest.sh', 'make-kind.sh'].map((name) => join(import.meta.dirname, name));
const progress = (line: string): boolean => process.stderr.write(`${line}\n`);
// What it is known by, which has to survive its move.
const identity = 'rm -f /etc/ssh/ssh_host_*; ssh-keygen -q -t ed25519 -N "" -C source-vm -f /etc/ssh/ssh_host_ed25519_key';

/** A folder with `disk.raw`, the guest as it is where it comes from, `host-key.pub`, and `id_ed25519`, the key of root's account. Kept with the other images. */
export async function ensureCorpusGuest(name: string): Promise<string> {
  const { script, fileSystem = 'ext4' } = corpus[name] ?? unknownGuest(name);
  const source = await ensureLayoutSource(progress);
  const hash = createHash('sha256').update(source).update(JSON.stringify({ script, fileSystem, identity }));
  for (const path of sources) hash.update(await readFile(path));
  const target = join(imageCache, `corpus-${name}-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(target)) return target;
  progress(`making the guest ${name}`);
  const partial = await mkdtemp(`${target}.partial-`);
  try {
    const disk = join(partial, 'disk.raw');
    if (fileSystem === 'ext4') await run('cp', ['--sparse=always', join(source, 'disk.raw'), disk]);
    else await run('bash', [sources[0]!, fileSystem, join(source, 'disk.raw'), disk]);
    const kind = join(partial, 'kind.sh');
    await writeFile(kind, `${script}\n${identity}\ncut -d" " -f1,2 /etc/ssh/ssh_host_ed25519_key.pub\n`);
    const told = await run('bash', ['-c', 'exec "$0" "$1" < "$2"', sources[1]!, disk, kind]);
    await writeFile(join(partial, 'host-key.pub'), told.trim().split('\n').at(-1) ?? '');
    await copyFile(join(source, 'id_ed25519'), join(partial, 'id_ed25519'));
    // Who was faster has made the same.
    await rename(partial, target).catch((error: unknown) => {
      if (!existsSync(target)) throw error;
    });
    return target;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

function unknownGuest(name: string): never {
  throw new Error(`no guest of the corpus is called ${name}: ${Object.keys(corpus).join(', ')}`);
}
