// The Debian packages that the lab and the tests need. Plain JavaScript without dependencies, like the bootstrap that installs them.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Group → package → what it is for, and what it provides: programs of the search path, and files by their absolute path. Only
 * root has a use for those marked with `forRoot`.
 */
export const groups = {
  demo: {
    python3: { why: "the worker agent and the lab's network", provides: ['python3'] },
    'openssh-client': { why: 'keys of lab workers', provides: ['ssh', 'ssh-keygen'] },
    'qemu-utils': {
      why: "disks of the lab's machines, and what tests compare our readers of disk images with",
      provides: ['qemu-img', 'qemu-io', 'qemu-nbd'],
    },
    e2fsprogs: { why: 'file systems inside guest disks', provides: ['mke2fs', 'debugfs'] },
    'util-linux': { why: 'namespaces of native workers', provides: ['unshare', 'nsenter', 'setpriv'] },
    mount: { why: 'loop devices of native workers', provides: ['mount', 'losetup'], forRoot: true },
    iproute2: { why: 'network of native workers', provides: ['ip'], forRoot: true },
    slirp4netns: { why: 'way from native workers to package mirrors', provides: ['slirp4netns'], forRoot: true },
    'qemu-system-x86': { why: 'the VM to move, emulated workers and guests', provides: ['qemu-system-x86_64'] },
    seabios: { why: 'firmware of emulated machines', provides: ['/usr/share/seabios/bios-256k.bin'] },
    mmdebstrap: {
      why: "images of workers and of the VM to move, built from this machine's package sources",
      provides: ['mmdebstrap'],
    },
    cpio: { why: 'initramfs of emulated machines', provides: ['cpio'] },
    kmod: { why: 'kernel modules of emulated machines', provides: ['modprobe'] },
    fdisk: { why: 'partition tables of guest disks', provides: ['sfdisk'] },
    openssl: { why: 'files in the VM to move, certificates of tests', provides: ['openssl'] },
    'ca-certificates': { why: 'trust for package mirrors', provides: ['/etc/ssl/certs/ca-certificates.crt'] },
  },
  test: {
    'openssh-server': { why: 'SSH transport tests', provides: ['sshd'] },
    nbdkit: {
      why: "NBD servers of another make, with options of their own; serves disks of the vendor's library",
      provides: ['nbdkit'],
    },
    gcc: { why: "the stand-in for the vendor's disk library", provides: ['gcc'] },
    'libc6-dev': { why: "the stand-in for the vendor's disk library", provides: ['/usr/include/stdio.h'] },
    'libnbd-bin': { why: 'a second reader of NBD exports to compare with', provides: ['nbdcopy', 'nbdinfo'] },
    chromium: { why: 'end-to-end tests of the workbench', provides: ['chromium'] },
    'chromium-headless-shell': {
      why: 'the same engine without windows, which takes less processor time',
      provides: ['chromium-headless-shell'],
    },
    'ntfs-3g': { why: 'file systems of Windows guests', provides: ['ntfs-3g', 'mkntfs'] },
    'python3-hivex': {
      why: 'registry of Windows guests',
      provides: ['/usr/lib/python3/dist-packages/hivex/__init__.py'],
    },
    'libhivex-bin': { why: 'registry of Windows guests, read by another program', provides: ['hivexget', 'hivexml'] },
    'libwin-hivex-perl': { why: 'registry of Windows guests, exported to compare', provides: ['hivexregedit'] },
    ovmf: { why: 'UEFI firmware of emulated machines', provides: ['/usr/share/OVMF/OVMF_CODE_4M.fd'] },
    xfsprogs: { why: 'guests with their root on XFS', provides: ['mkfs.xfs'] },
    'cryptsetup-bin': { why: 'encrypted volumes of guests', provides: ['cryptsetup'] },
    xorriso: { why: 'driver discs for Windows guests', provides: ['xorriso'] },
    tgt: { why: 'iSCSI targets that emulated workers log in to', provides: ['tgtd', 'tgtadm'] },
    'golang-go': { why: 'builds the simulator of the virtualization platform', provides: ['go'] },
    'golang-github-vmware-govmomi-dev': {
      why: 'the simulator of the virtualization platform, as a library',
      provides: ['/usr/share/gocode/src/github.com/vmware/govmomi/client.go'],
    },
    'krb5-kdc': { why: 'a domain controller for Kerberos', provides: ['krb5kdc', 'kdb5_util'] },
    'krb5-admin-server': { why: 'accounts of that domain', provides: ['kadmin.local'] },
    'python3-gssapi': {
      why: 'a service that takes Kerberos tickets',
      provides: ['/usr/lib/python3/dist-packages/gssapi/__init__.py'],
    },
    'nats-server': { why: 'the servers of a fleet', provides: ['nats-server'] },
    iptables: { why: 'movers of a fleet in networks of their own', provides: ['iptables'] },
    rpm: {
      why: 'a package for guests of the RHEL family, built and read by its own programs',
      provides: ['rpm', 'rpmbuild'],
    },
    'python3-pyvmomi': {
      why: 'a client of another make that talks to the rig of the virtualization platform',
      provides: ['/usr/lib/python3/dist-packages/pyVmomi/__init__.py'],
    },
    'mono-mcs': { why: 'C# that scripts for Windows bring along, compiled as old guests do', provides: ['mcs'] },
    'mono-runtime': { why: 'C# that scripts for Windows bring along, run', provides: ['mono'] },
  },
  windows: {
    wine: { why: "Windows' own Node, for the tests of a Windows laptop", provides: ['wine'] },
    wine64: { why: "Windows' own Node, for the tests of a Windows laptop" },
  },
  bench: {
    guestfish: { why: 'the appliance that the next two work in', provides: ['guestfish'] },
    'guestfs-tools': { why: 'virt-customize, a peer of the preparation of guests', provides: ['virt-customize'] },
    'virt-v2v': { why: 'virt-v2v-in-place, a peer of the preparation of guests', provides: ['virt-v2v-in-place'] },
    'linux-perf': { why: 'where the processor time of a transfer goes', provides: ['perf'] },
    'kubernetes-client': { why: 'kubectl, a peer of the start of the command line', provides: ['kubectl'] },
  },
  openstack: {
    keystone: { why: 'identity of the open-source cloud' },
    'swift-proxy': { why: 'object store of the open-source cloud' },
    'swift-account': { why: 'object store of the open-source cloud' },
    'swift-container': { why: 'object store of the open-source cloud' },
    'swift-object': { why: 'object store of the open-source cloud' },
    'python3-swift': { why: 'object store of the open-source cloud' },
    'python3-keystonemiddleware': { why: 'tokens at the object store' },
    'python3-memcache': { why: 'cache of the open-source cloud' },
    'python3-pymysql': { why: 'databases of the open-source cloud' },
    'cinder-api': { why: 'block storage of the open-source cloud' },
    'cinder-scheduler': { why: 'block storage of the open-source cloud' },
    'cinder-volume': { why: 'block storage of the open-source cloud' },
    'cinder-backup': { why: 'backups of volumes' },
    'python3-swiftclient': { why: 'backups of volumes to the object store' },
    'glance-api': { why: 'images of the open-source cloud' },
    'nova-api': { why: 'compute of the open-source cloud' },
    'nova-conductor': { why: 'compute of the open-source cloud' },
    'nova-scheduler': { why: 'compute of the open-source cloud' },
    'nova-compute': { why: 'compute of the open-source cloud' },
    'placement-api': { why: 'compute of the open-source cloud' },
    'neutron-server': { why: 'networks of the open-source cloud' },
    'ovn-central': { why: 'networks of the open-source cloud' },
    'ovn-host': { why: 'networks of the open-source cloud' },
    'openvswitch-switch': { why: 'networks of the open-source cloud' },
    ethtool: { why: 'networks of the open-source cloud' },
    'mariadb-server': { why: 'databases of the open-source cloud' },
    'mariadb-client': { why: 'databases of the open-source cloud' },
    'rabbitmq-server': { why: 'messages of the open-source cloud' },
    memcached: { why: 'cache of the open-source cloud' },
    'uwsgi-core': { why: 'web server of identity and placement' },
    'uwsgi-plugin-python3': { why: 'web server of identity and placement' },
    curl: { why: 'waiting for the services' },
    'libvirt-daemon-system': { why: 'servers of the open-source cloud' },
    genisoimage: { why: 'config drives' },
    dmidecode: { why: 'servers of the open-source cloud' },
    'dnsmasq-base': { why: 'libvirt needs it' },
    'ceph-mon': { why: 'distributed storage of the open-source cloud' },
    'ceph-osd': { why: 'distributed storage of the open-source cloud' },
    'ceph-mgr': { why: 'distributed storage of the open-source cloud' },
    'ceph-common': { why: 'reading volumes from the distributed storage' },
    'python3-rbd': { why: 'volumes in the distributed storage' },
    'python3-rados': { why: 'volumes in the distributed storage' },
    'qemu-block-extra': { why: 'reading volumes from the distributed storage' },
  },
};

/** Every package of every group. */
export const packages = Object.assign({}, ...Object.values(groups));

/** The groups that another one needs. */
const needs = {
  demo: [],
  test: ['demo'],
  windows: ['demo', 'test'],
  bench: ['demo', 'test'],
  openstack: ['demo', 'test'],
};

/** The packages of these groups and of the groups that they need. */
export function packagesOf(names) {
  const needed = new Set(names.flatMap((name) => [...needs[name], name]));
  return [...new Set([...needed].flatMap((name) => Object.keys(groups[name])))];
}

/**
 * Those of the packages that are not there. What a package provides decides, and not what dpkg says: a program can be
 * removed or come from elsewhere. dpkg is asked only about packages of which no file is named.
 */
export function missingOf(names) {
  const unnamed = names.filter((name) => packages[name].provides === undefined);
  const installed = unnamed.length === 0 ? new Set() : installedOf(unnamed);
  return names.filter((name) => !(packages[name].provides?.every(isThere) ?? installed.has(name)));
}

export function isPresent(name) {
  return missingOf([name]).length === 0;
}

/** Those that dpkg reports as installed. */
function installedOf(names) {
  const format = '${db:Status-Status} ${binary:Package}\\n';
  const { stdout } = spawnSync('dpkg-query', ['--show', `--showformat=${format}`, ...names], { encoding: 'utf8' });
  const lines = (stdout ?? '').split('\n').filter((line) => line.startsWith('installed '));
  return new Set(lines.map((line) => line.slice('installed '.length).split(':')[0]));
}

/** Whether a program is on the search path, or a file exists. Users often have no system folders on their search path. */
function isThere(name) {
  if (name.startsWith('/')) return existsSync(name);
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
