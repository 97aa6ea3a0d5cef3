import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MorphOptions } from '../../../electron/engine/osmorphing/index.ts';
import { ensureLayoutSource, imageCache } from '../images/ensure.ts';
import { run } from '../machines/child-process.ts';
import type { DiskBus } from '../emulated-vm.ts';
import { layOut, layoutPassphrase, loadCiphers } from './layouts.ts';

/** A kind of guest that moved machines are of. */
export interface CorpusGuest {
  readonly about: string;
  /** Makes it of the Debian guest, within the installation; runs as root there, before anything is prepared. */
  readonly script: string;
  /** The file system of its root. Default ext4. */
  readonly fileSystem?: 'ext4' | 'xfs';
  /** What is installed in the boot sector once it is made: GRUB 2's core image that the script has made, or GRUB legacy. Default: the Debian guest's GRUB 2. */
  readonly loader?: 'grub-core' | 'grub-legacy';
  /** Copied onto a disk of this layout (`lay-out-guest.sh`), which a worker with a kernel of its own makes and prepares. Default: one partition. */
  readonly layout?: { readonly name: string; readonly uefi?: boolean };
  /** Options of its preparation. */
  readonly options?: Partial<MorphOptions>;
  /** Typed on its console when it asks for it at the start. */
  readonly passphrase?: string;
  /** Its preparation ends with this code, with the guest as it was. */
  readonly refused?: string;
  /** Commands in the guest that show of which kind it is once it was moved, and what they print. */
  readonly shows?: readonly (readonly [command: string, expected: RegExp])[];
}

const quietly = '>/dev/null 2>&1';
const install = (packages: string): string =>
  `(apt-get -q update && apt-get -q -y --no-install-recommends install ${packages}) ${quietly}`;
// An update of GRUB's menu asks for the devices of the worker, which are none of this guest.
const keepMenu =
  'chmod -x /etc/kernel/postinst.d/zz-update-grub /etc/kernel/postrm.d/zz-update-grub 2>/dev/null || true';
const version = 'V=$(ls /boot/vmlinuz-*-amd64 | grep -v cloud | sed "s,.*vmlinuz-,,")';
const virtio = 'virtio_blk virtio_scsi virtio_pci virtio_net virtio virtio_ring';

/**
 * Debian's GRUB has no command `blscfg`. Here the menu has it as functions, by which GRUB itself reads the entries' files: each
 * of their lines is a call of one. The commands of the same names are taken from the list of those that GRUB loads by itself.
 */
const blsMenu = `
mkdir -p /boot/loader/entries
sed -i '/^\\*\\?\\(linux\\|initrd\\): /d' /boot/grub/i386-pc/command.lst
grub-editenv /boot/grub/grubenv create
grub-editenv /boot/grub/grubenv set kernelopts='root=/dev/sda1 ro console=ttyS0 quiet' saved_entry=0123456789abcdef0123456789abcdef-$V
cat > /boot/loader/entries/0123456789abcdef0123456789abcdef-$V.conf <<E
title Debian GNU/Linux ($V) 12 (bookworm)
version $V
linux /boot/vmlinuz-$V
initrd /boot/initrd.img-$V
options \\$kernelopts
grub_users \\$grub_users
grub_arg --unrestricted
grub_class debian
E
{ sed '/^menuentry/,$d' /boot/grub/grub.cfg; cat <<'G'
load_env
set default="\${saved_entry}"
insmod regexp
function title { set bls_title="$*"; }
function version { true; }
function grub_users { true; }
function grub_arg { true; }
function grub_class { true; }
function linux { set bls_linux="$1"; }
function initrd { set bls_initrd="$1"; }
function options { set bls_options="$*"; }
function blscfg {
  for entry in ($root)/boot/loader/entries/*.conf; do
    source "$entry"
    menuentry "$bls_title" "$bls_linux" "$bls_options" "$bls_initrd" {
      insmod linux
      linux "$2" $3
      initrd "$4"
    }
  done
}
blscfg
G
} > /boot/grub/grub.cfg.new
mv /boot/grub/grub.cfg.new /boot/grub/grub.cfg
grub-mkimage -O i386-pc -p '(hd0,msdos1)/boot/grub' -o /boot/grub/core.img biosdisk part_msdos ext2 search search_fs_uuid normal serial terminal configfile echo`;

/** A kernel of which only the drivers that Xen's virtual hardware needs are there, with an initial RAM disk that has them. It can start nowhere else. */
const xenModules = (name: string): string => `
X=$(echo $V | sed 's,-amd64$,-${name}-amd64,')
cp /boot/vmlinuz-$V /boot/vmlinuz-$X
cp /boot/config-$V /boot/config-$X
mkdir -p /lib/modules/$X
(cd /lib/modules/$V && cp modules.builtin modules.builtin.modinfo modules.order ../$X/ && cp --parents -r kernel/drivers/block/xen-blkfront.ko kernel/drivers/net/xen-netfront.ko kernel/fs/ext4 kernel/fs/jbd2 kernel/fs/mbcache.ko kernel/lib/crc16.ko kernel/crypto/crc32c_generic.ko ../$X/)
depmod $X
update-initramfs -c -k $X ${quietly}`;
const xenKernel = `${xenModules('xen')}
sed -i 's,^UUID=[^ ]* / ,/dev/xvda1 / ,' /etc/fstab
echo hvc0 >> /etc/securetty
sed -i "s,^menuentry,set default=0\\nmenuentry \\"Debian\\, with Linux $X\\" {\\n  linux /boot/vmlinuz-$X root=/dev/xvda1 ro console=hvc0\\n  initrd /boot/initrd.img-$X\\n}\\nmenuentry," /boot/grub/grub.cfg
sed -i 's,root=UUID=[^ ]* ro console=ttyS0,root=/dev/xvda1 ro console=hvc0,' /boot/grub/grub.cfg`;
const legacyMenu = `${xenModules('xen')}
printf 'no hypervisor starts here' | gzip > /boot/xen-4.17-amd64.gz
rm -rf /boot/grub
mkdir /boot/grub
cp /usr/lib/grub/x86_64-pc/stage1 /usr/lib/grub/x86_64-pc/stage2 /usr/lib/grub/x86_64-pc/e2fs_stage1_5 /boot/grub/
echo '(hd0) /dev/sda' > /boot/grub/device.map
cat > /boot/grub/menu.lst <<G
default 0
timeout 0
serial --unit=0 --speed=115200
terminal serial

title Xen 4.17 / Debian, kernel $X
root (hd0,0)
kernel /boot/xen-4.17-amd64.gz
module /boot/vmlinuz-$X root=/dev/sda1 ro console=tty0
module /boot/initrd.img-$X

title Debian, kernel $V
root (hd0,0)
kernel /boot/vmlinuz-$V root=/dev/sda1 ro console=ttyS0 quiet
initrd /boot/initrd.img-$V
G`;

/** All of Debian's archive, each small. */
export const corpus: Readonly<Record<string, CorpusGuest>> = {
  'initramfs-tools': { about: 'a list of modules without VirtIO (MODULES=list)', script: 'true' },
  'initramfs-tools-dep': {
    about: 'modules of the machine that it is built on alone (MODULES=dep)',
    script: "sed -i 's/^MODULES=.*/MODULES=dep/' /etc/initramfs-tools/conf.d/sata-only",
    shows: [['grep -h ^MODULES /etc/initramfs-tools/conf.d/sata-only', /^MODULES=dep$/]],
  },
  'dracut-hostonly': {
    about: 'dracut for the machine that it runs on (hostonly)',
    script:
      `${keepMenu}\n${install('dracut')}\n${version}\nprintf 'hostonly="yes"\\n' > /etc/dracut.conf.d/10-here.conf\n` +
      `dracut --force --hostonly --add-drivers "ahci sd_mod ext4" --omit-drivers "${virtio}" /boot/initrd.img-$V $V ${quietly}`,
    shows: [['dpkg -s dracut | grep ^Status', /installed$/]],
  },
  'dracut-generic': {
    about: 'dracut for any machine, without the drivers of VirtIO',
    script: `${keepMenu}\n${install('dracut')}\n${version}\nprintf 'hostonly="no"\\n' > /etc/dracut.conf.d/10-here.conf\ndracut --force --no-hostonly --omit-drivers "${virtio}" /boot/initrd.img-$V $V ${quietly}`,
    shows: [['dpkg -s dracut | grep ^Status', /installed$/]],
  },
  'two-kernels': {
    about: 'a second kernel without AHCI, which the menu starts by default',
    script:
      `${keepMenu}\n${install('linux-image-cloud-amd64')}\nC=$(ls /boot/vmlinuz-*-cloud-amd64 | sed "s,.*vmlinuz-,,")\n${version}\n` +
      'sed -i "s,^menuentry,set default=0\\nmenuentry \\"Cloud\\" {\\n  linux /boot/vmlinuz-$C root=$(grep -o \'UUID=[^ ]*\' /etc/fstab | head -1) ro console=ttyS0 quiet\\n  initrd /boot/initrd.img-$C\\n}\\nmenuentry," /boot/grub/grub.cfg',
    shows: [['uname -r', /(?<!-cloud)-amd64$/]],
  },
  'names-by-place': {
    about: "/etc/fstab and the kernel's arguments name the disk by its place",
    shows: [['grep -c "^UUID=.* / " /etc/fstab', /^1$/]],
    script:
      "sed -i 's,^UUID=[^ ]* / ,/dev/sda1 / ,' /etc/fstab\nsed -i 's,root=UUID=[^ ]*,root=/dev/sda1,' /boot/grub/grub.cfg",
  },
  'network-manager': {
    about: 'NetworkManager with a static address',
    script:
      `${install('network-manager')}\nrm -f /etc/network/interfaces\napt-get -q -y purge ifupdown ${quietly}\nmkdir -p /etc/NetworkManager/system-connections\n` +
      'printf "[connection]\\nid=lan\\ntype=ethernet\\ninterface-name=ens3\\n\\n[ethernet]\\nmac-address=00:50:56:AA:BB:01\\n\\n[ipv4]\\nmethod=manual\\naddress1=192.0.2.5/24,192.0.2.1\\n" > /etc/NetworkManager/system-connections/lan.nmconnection\n' +
      'chmod 600 /etc/NetworkManager/system-connections/lan.nmconnection',
    shows: [['nmcli -g GENERAL.STATE device show ens3', /^100/]],
  },
  bridge: {
    about: 'ifupdown with a bridge on a card that has no lines of its own',
    script: `${install('bridge-utils')}\nprintf 'auto lo\\niface lo inet loopback\\n\\nauto br0\\niface br0 inet static\\n  address 192.0.2.5/24\\n  bridge_ports ens3\\n' > /etc/network/interfaces`,
    shows: [['ip -4 -o addr show ens3', /inet 10\.0\.2\.15/]],
  },
  multipath: {
    about: "multipath with bindings of the source's disk",
    script: `${install('multipath-tools')}\nmkdir -p /etc/multipath\nprintf 'mpatha 36000c29a1b2c3d4e5f60718293a4b5c6\\n' > /etc/multipath/bindings\nprintf '/36000c29a1b2c3d4e5f60718293a4b5c6/\\n' > /etc/multipath/wwids`,
    shows: [['grep -c 6000c29 /etc/multipath/bindings /etc/multipath/wwids | paste -sd" "', /bindings:0 .*wwids:0$/]],
  },
  selinux: {
    about: 'SELinux with the default policy',
    script: `${install('selinux-policy-default policycoreutils selinux-utils')}\nprintf 'SELINUX=permissive\\nSELINUXTYPE=default\\n' > /etc/selinux/config\nsed -i 's, ro console, ro security=selinux console,' /boot/grub/grub.cfg`,
    shows: [
      ['getenforce', /^Permissive$/],
      ['stat -c %C /etc/passwd', /:etc_t:/],
    ],
  },
  netplan: {
    about: 'netplan with a static address',
    script:
      `${install('netplan.io')}\nrm -f /etc/network/interfaces\napt-get -q -y purge ifupdown isc-dhcp-client ${quietly}\n` +
      "printf 'network:\\n  version: 2\\n  ethernets:\\n    ens192:\\n      addresses: [192.0.2.5/24]\\n      routes: [{to: default, via: 192.0.2.1}]\\n' > /etc/netplan/01-lan.yaml\nsystemctl -q enable systemd-networkd",
    shows: [
      ['ip -4 -o addr show ens192', /inet 10\.0\.2\.15\/24 .*dynamic/],
      ['networkctl status ens192 | grep "Network File"', /netplan/],
    ],
  },
  networkd: {
    about: 'systemd-networkd, which knows the card by its old address and names it',
    script:
      `rm -f /etc/network/interfaces\napt-get -q -y purge ifupdown isc-dhcp-client ${quietly}\n` +
      "printf '[Match]\\nMACAddress=00:50:56:aa:bb:01\\n\\n[Link]\\nName=lan0\\n' > /etc/systemd/network/10-lan.link\n" +
      "printf '[Match]\\nMACAddress=00:50:56:aa:bb:01\\n\\n[Network]\\nAddress=192.0.2.5/24\\nGateway=192.0.2.1\\n' > /etc/systemd/network/10-lan.network\nsystemctl -q enable systemd-networkd",
    shows: [['ip -4 -o addr show lan0', /inet 10\.0\.2\.15\/24 .*dynamic/]],
  },
  bls: {
    about:
      'GRUB 2 with entries of the boot loader specification, their arguments in its environment, which names the disk by its place',
    loader: 'grub-core',
    script: `${keepMenu}\n${version}\n${blsMenu}`,
    shows: [
      ['grep -c "root=UUID=" /boot/grub/grubenv', /^1$/],
      ['grep -o "root=UUID=[^ ]*" /proc/cmdline', /^root=UUID=/],
    ],
  },
  'grub-legacy': {
    about:
      'GRUB legacy: its default entry is a hypervisor with a kernel for that alone, and its arguments name the disk by its place',
    loader: 'grub-legacy',
    script: `${install('grub-legacy libc6-i386')}\nchmod -x /etc/kernel/postinst.d/zz-update-grub /etc/kernel/postrm.d/zz-update-grub\n${version}\n${legacyMenu}`,
    shows: [
      ['dpkg -s grub-legacy | grep ^Status', /installed$/],
      ['grep -o "root=UUID=[^ ]*" /proc/cmdline', /^root=UUID=/],
      ['ls -d /boot/grub/grub.cfg', /No such file/],
    ],
  },
  xen: {
    about: 'from Xen: disks called xvda, a console called hvc0, a default kernel with drivers of Xen alone',
    script: `${keepMenu}\n${version}\n${xenKernel}`,
    shows: [
      ['uname -r', /(?<!-xen)-amd64$/],
      ['grep -c xvda /etc/fstab /proc/cmdline | paste -sd" "', /fstab:0 .*cmdline:0$/],
    ],
  },
  'systemd-boot': {
    about: 'systemd-boot, its entries, kernels and initial RAM disks by machine id on the EFI system partition',
    layout: { name: 'systemd-boot', uefi: true },
    script: `${install('systemd-boot')}\napt-get -q -y purge 'grub*' ${quietly}\nrm -rf /boot/grub`,
    shows: [
      ['tr -d "\\0" < /sys/firmware/efi/efivars/LoaderInfo-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f', /systemd-boot/],
      ['ls /boot/efi/$(cat /etc/machine-id)/$(uname -r)', /initrd.*linux/],
      ['grep -o "root=UUID=[^ ]*" /proc/cmdline', /^root=UUID=/],
    ],
  },
  'lvm-filters': {
    about: "root on a logical volume, with filters of LVM that let it see the source's disk alone",
    layout: { name: 'lvm-filters' },
    script: `sed -i 's,^devices {,devices {\\n\\tfilter = [ "a|^/dev/sda|"\\, "r|.*|" ]\\n\\tglobal_filter = [ "a|^/dev/sda|"\\, "r|.*|" ],' /etc/lvm/lvm.conf\nupdate-initramfs -u ${quietly}`,
    shows: [
      ['findmnt -no SOURCE /', /^\/dev\/mapper\/vg0-root$/],
      ['pvs --noheadings -o vg_name', /vg0/],
    ],
  },
  clevis: {
    about:
      "an encrypted root that a server on the source's network unlocks (Clevis); the deployment leaves it with its passphrase alone",
    layout: { name: 'clevis' },
    script: `${install('clevis-luks clevis-initramfs jose')}`,
    options: { luksKeys: [{ key: layoutPassphrase }], unbindVolumes: true, scripts: { beforeMount: [loadCiphers] } },
    passphrase: layoutPassphrase,
    shows: [
      ['findmnt -no SOURCE /', /^\/dev\/mapper\/system_crypt$/],
      ['clevis luks list -d $(blkid -t TYPE=crypto_LUKS -o device)', /^$/],
    ],
  },
  xfs: { about: 'root on XFS', script: 'true', fileSystem: 'xfs', shows: [['findmnt -no FSTYPE /', /^xfs$/]] },
  full: {
    about: 'no room for another initial RAM disk',
    script: 'head -c 2G /dev/zero > /srv/full 2>/dev/null || true\ntruncate -s -2M /srv/full',
    refused: 'osmorphing.no-space',
  },
};

export const corpusBuses = ['scsi', 'virtio', 'ide', 'sata'] as const satisfies readonly DiskBus[];

/** The driver that a disk of each bus has. */
export const busDrivers: Readonly<Record<(typeof corpusBuses)[number], string>> = {
  scsi: 'virtio_scsi',
  virtio: 'virtio_blk',
  ide: 'ata_piix',
  sata: 'ahci',
};

/** What a guest of the corpus is made of. */
const sources = ['copy-guest.sh', 'make-kind.sh'].map((name) => join(import.meta.dirname, name));
const loaderScript = join(import.meta.dirname, 'install-loader.sh');
const progress = (line: string): boolean => process.stderr.write(`${line}\n`);
// What it is known by, which has to survive its move.
const identity =
  'rm -f /etc/ssh/ssh_host_*; ssh-keygen -q -t ed25519 -N "" -C source-vm -f /etc/ssh/ssh_host_ed25519_key';

/** A folder with `disk.raw`, the guest as it is where it comes from, `host-key.pub`, and `id_ed25519`, the key of root's account. Kept with the other images. */
export async function ensureCorpusGuest(name: string): Promise<string> {
  const { layout } = corpus[name] ?? unknownGuest(name);
  if (layout === undefined) return ensureKind(name);
  return layOut({ name: layout.name, disksGb: [2], uefi: layout.uefi ?? false, source: await ensureKind(name) });
}

/** Of that kind, on one partition. */
async function ensureKind(name: string): Promise<string> {
  const { script, fileSystem = 'ext4', loader } = corpus[name] ?? unknownGuest(name);
  const source = await ensureLayoutSource(progress);
  const hash = createHash('sha256').update(source).update(JSON.stringify({ script, fileSystem, identity, loader }));
  for (const path of [...sources, ...(loader === undefined ? [] : [loaderScript])]) hash.update(await readFile(path));
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
    if (loader !== undefined) await run('bash', [loaderScript, loader, disk]);
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
