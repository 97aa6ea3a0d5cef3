import { ensureLayoutSource } from '../images/ensure.ts';
import { join } from 'node:path';
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

/** File of the private key that opens root's account of all of them. */
export async function corpusKey(): Promise<string> {
  return join(await ensureLayoutSource((line) => process.stderr.write(`${line}\n`)), 'id_ed25519');
}

/** Fills a volume with the guest before it is made one of a kind. */
export async function fillCorpusDisk(path: string, fileSystem: CorpusGuest['fileSystem'] = 'ext4'): Promise<void> {
  const source = join(await ensureLayoutSource((line) => process.stderr.write(`${line}\n`)), 'disk.raw');
  if (fileSystem === 'ext4') await run('cp', ['--sparse=always', source, path]);
  else await run('bash', [join(import.meta.dirname, 'copy-guest.sh'), fileSystem, source, path]);
}
