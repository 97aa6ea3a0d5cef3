#!/usr/bin/env node
/**
 * Installs the Debian packages that Causeway's lab and tests stand on, or says what is missing.
 *
 *   node scripts/bootstrap.js [--check] [--yes] [demo] [test] [windows] [bench] [openstack]
 *
 * Without a group: demo and test. As root on Debian it installs, after a yes on the terminal, with `--yes`, or with
 * `CI=true` in the environment, and starts no service. Otherwise, or with `--check`, it prints one line that names what is
 * missing and what for. Exit code 0: everything is there; 1: something is missing; 2: apt failed or the arguments are
 * wrong. Plain Node 18 without any npm package: it runs before `npm ci`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { removeLeftBehind, withoutServices } from './without-services.js';

/** Package → what it is for, by group. */
const groups = {
  demo: {
    python3: "the worker agent and the lab's network",
    'openssh-client': 'keys of lab workers',
    'qemu-utils': "disks of the lab's machines, and what tests compare our readers of disk images with",
    e2fsprogs: 'file systems inside guest disks',
    'util-linux': 'namespaces of native workers',
    mount: 'loop devices of native workers',
    iproute2: 'network of native workers',
    slirp4netns: 'way from native workers to package mirrors',
    'qemu-system-x86': 'the VM to move, emulated workers and guests',
    seabios: 'firmware of emulated machines',
    mmdebstrap: "images of workers and of the VM to move, built from this machine's package sources",
    cpio: 'initramfs of emulated machines',
    kmod: 'kernel modules of emulated machines',
    fdisk: 'partition tables of guest disks',
    openssl: 'files in the VM to move, certificates of tests',
    'ca-certificates': 'trust for package mirrors',
  },
  test: {
    'openssh-server': 'SSH transport tests',
    nbdkit: "NBD servers of another make, with options of their own; serves disks of the vendor's library",
    gcc: "the stand-in for the vendor's disk library",
    'libc6-dev': "the stand-in for the vendor's disk library",
    'libnbd-bin': 'a second reader of NBD exports to compare with',
    chromium: 'end-to-end tests of the workbench',
    'chromium-headless-shell': 'the same engine without windows, which takes less processor time',
    'ntfs-3g': 'file systems of Windows guests',
    'python3-hivex': 'registry of Windows guests',
    'libhivex-bin': 'registry of Windows guests, read by another program',
    'libwin-hivex-perl': 'registry of Windows guests, exported to compare',
    ovmf: 'UEFI firmware of emulated machines',
    xfsprogs: 'guests with their root on XFS',
    'cryptsetup-bin': 'encrypted volumes of guests',
    xorriso: 'driver discs for Windows guests',
    tgt: 'iSCSI targets that emulated workers log in to',
    'golang-go': 'builds the simulator of the virtualization platform',
    'golang-github-vmware-govmomi-dev': 'the simulator of the virtualization platform, as a library',
    'krb5-kdc': 'a domain controller for Kerberos',
    'krb5-admin-server': 'accounts of that domain',
    'python3-gssapi': 'a service that takes Kerberos tickets',
    'nats-server': 'the servers of a fleet',
    iptables: 'movers of a fleet in networks of their own',
    rpm: 'a package for guests of the RHEL family, built and read by its own programs',
    'python3-pyvmomi': 'a client of another make that talks to the rig of the virtualization platform',
    'mono-mcs': 'C# that scripts for Windows bring along, compiled as old guests do',
    'mono-runtime': 'C# that scripts for Windows bring along, run',
  },
  windows: {
    wine: "Windows' own Node, for the tests of a Windows laptop",
    wine64: "Windows' own Node, for the tests of a Windows laptop",
  },
  bench: {
    guestfish: 'the appliance that the next two work in',
    'guestfs-tools': 'virt-customize, a peer of the preparation of guests',
    'virt-v2v': 'virt-v2v-in-place, a peer of the preparation of guests',
    'linux-perf': 'where the processor time of a transfer goes',
    'kubernetes-client': 'kubectl, a peer of the start of the command line',
  },
  openstack: {
    keystone: 'identity of the open-source cloud',
    'swift-proxy': 'object store of the open-source cloud',
    'swift-account': 'object store of the open-source cloud',
    'swift-container': 'object store of the open-source cloud',
    'swift-object': 'object store of the open-source cloud',
    'python3-swift': 'object store of the open-source cloud',
    'python3-keystonemiddleware': 'tokens at the object store',
    'python3-memcache': 'cache of the open-source cloud',
    'python3-pymysql': 'databases of the open-source cloud',
    'cinder-api': 'block storage of the open-source cloud',
    'cinder-scheduler': 'block storage of the open-source cloud',
    'cinder-volume': 'block storage of the open-source cloud',
    'cinder-backup': 'backups of volumes',
    'python3-swiftclient': 'backups of volumes to the object store',
    'glance-api': 'images of the open-source cloud',
    'nova-api': 'compute of the open-source cloud',
    'nova-conductor': 'compute of the open-source cloud',
    'nova-scheduler': 'compute of the open-source cloud',
    'nova-compute': 'compute of the open-source cloud',
    'placement-api': 'compute of the open-source cloud',
    'neutron-server': 'networks of the open-source cloud',
    'ovn-central': 'networks of the open-source cloud',
    'ovn-host': 'networks of the open-source cloud',
    'openvswitch-switch': 'networks of the open-source cloud',
    ethtool: 'networks of the open-source cloud',
    'mariadb-server': 'databases of the open-source cloud',
    'mariadb-client': 'databases of the open-source cloud',
    'rabbitmq-server': 'messages of the open-source cloud',
    memcached: 'cache of the open-source cloud',
    'uwsgi-core': 'web server of identity and placement',
    'uwsgi-plugin-python3': 'web server of identity and placement',
    curl: 'waiting for the services',
    'libvirt-daemon-system': 'servers of the open-source cloud',
    genisoimage: 'config drives',
    dmidecode: 'servers of the open-source cloud',
    'dnsmasq-base': 'libvirt needs it',
    'ceph-mon': 'distributed storage of the open-source cloud',
    'ceph-osd': 'distributed storage of the open-source cloud',
    'ceph-mgr': 'distributed storage of the open-source cloud',
    'ceph-common': 'reading volumes from the distributed storage',
    'python3-rbd': 'volumes in the distributed storage',
    'python3-rados': 'volumes in the distributed storage',
    'qemu-block-extra': 'reading volumes from the distributed storage',
  },
};

/** The groups that another one stands on. */
const standsOn = {
  demo: [],
  test: ['demo'],
  windows: ['demo', 'test'],
  bench: ['demo', 'test'],
  openstack: ['demo', 'test'],
};

/** Groups that are asked for, with those that they stand on. */
function packagesOf(names) {
  const needed = new Set(names.flatMap((name) => [...standsOn[name], name]));
  return Object.assign({}, ...[...needed].map((name) => groups[name]));
}

/** Those of the packages that dpkg does not report as installed. */
function missingOf(packages) {
  const names = Object.keys(packages);
  const query = spawnSync('dpkg-query', ['--show', '--showformat=${db:Status-Status} ${binary:Package}\n', ...names], {
    encoding: 'utf8',
  });
  if (query.error !== undefined) return undefined;
  const installed = new Set(
    query.stdout
      .split('\n')
      .filter((line) => line.startsWith('installed '))
      .map((line) => line.slice('installed '.length).split(':')[0]),
  );
  return names.filter((name) => !installed.has(name));
}

/** Whether apt has no package lists, or lists older than a month. */
function listsAreStale() {
  const folder = '/var/lib/apt/lists';
  if (!existsSync(folder)) return true;
  const lists = readdirSync(folder).filter((name) => name.includes('_Packages'));
  const newest = Math.max(0, ...lists.map((name) => statSync(`${folder}/${name}`).mtimeMs));
  return lists.length === 0 || Date.now() - newest > 30 * 24 * 3_600_000;
}

function apt(...args) {
  const done = spawnSync('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=300', ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return done.status === 0;
}

function install(names, world) {
  const attempt = () => world.apt('install', '-y', '--no-install-recommends', ...names);
  if (world.listsAreStale()) return world.apt('update') && attempt();
  // Lists that are there may name versions that the mirror no longer has.
  return attempt() || (world.apt('update') && attempt());
}

/** Asks on the terminal; no is the default, also when the input ends or is interrupted. */
async function ask(question) {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test(
      (
        await new Promise((resolve) => {
          terminal.question(question, resolve);
          terminal.once('close', () => resolve(''));
        })
      ).trim(),
    );
  } finally {
    terminal.close();
  }
}

const describe = (names, packages) => names.map((name) => `${name} (${packages[name]})`).join(', ');

/** What the bootstrap sees and does outside of itself; tests pass their own. */
const realWorld = {
  isRoot: () => process.getuid?.() === 0,
  isTerminal: () => process.stdin.isTTY === true && process.stdout.isTTY === true,
  env: process.env,
  ask,
  missingOf,
  listsAreStale,
  apt,
  withoutServices,
  removeLeftBehind,
  say: (text) => process.stdout.write(`${text}\n`),
  complain: (text) => process.stderr.write(`${text}\n`),
};

/** Runs the bootstrap; resolves with its exit status. */
export async function bootstrap(args, world = realWorld) {
  const options = args.filter((name) => name.startsWith('--'));
  const names = args.filter((name) => !name.startsWith('--'));
  const unknown = [
    ...options.filter((name) => !['--check', '--yes'].includes(name)),
    ...names.filter((name) => !Object.hasOwn(groups, name)),
  ];
  if (unknown.length > 0) {
    world.complain(
      `Unknown: ${unknown.join(', ')}. Groups: ${Object.keys(groups).join(', ')}. Options: --check, --yes.`,
    );
    return 2;
  }
  const packages = packagesOf(names.length === 0 ? ['demo', 'test'] : names);
  const missing = world.missingOf(packages);
  if (missing === undefined) {
    world.say(
      `Not a Debian system. Install these with your own package manager: ${describe(Object.keys(packages), packages)}.`,
    );
    return 1;
  }
  // Also when the killed installation had come far enough for nothing to be missing now.
  if (world.isRoot() && !options.includes('--check')) world.removeLeftBehind();
  if (missing.length === 0) return 0;
  const lacking = (how) => {
    world.say(`Missing Debian packages (${how}): ${describe(missing, packages)}.`);
    return 1;
  };
  const command = `node scripts/bootstrap.js --yes${names.length === 0 ? '' : ` ${names.join(' ')}`}`;
  if (options.includes('--check') || !world.isRoot()) return lacking(`to install them, run as root: ${command}`);
  const hasConsent =
    options.includes('--yes') ||
    world.env.CI === 'true' ||
    (world.isTerminal() &&
      (await world.ask(
        `Install ${missing.length} Debian packages as root? ${missing.join(' ')}\nNo service is started. [y/N] `,
      )));
  if (!hasConsent) return lacking(`not installed without your consent; to install them, run: ${command}`);
  world.say(`Installing ${missing.length} Debian packages: ${missing.join(' ')}`);
  if (world.withoutServices(() => install(missing, world))) return 0;
  world.complain(`These Debian packages could not be installed: ${describe(missing, packages)}.`);
  return 2;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await bootstrap(process.argv.slice(2));
