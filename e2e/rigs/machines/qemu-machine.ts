import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deviceNames } from '../cloud-kit/server-machines.ts';
import type { MachinePlan, MachineVolume } from '../cloud-kit/server-machines.ts';
import { closing } from '../closing.ts';
import { kill, spawnBound } from './child-process.ts';
import { seedFromUserData } from './cloud-config.ts';
import type { IscsiTargets } from './iscsi-targets.ts';
import type { Machine, StartMachine } from './machine.ts';
import { LoopbackHosts } from './loopback-hosts.ts';
import { QmpClient } from './qmp-client.ts';
import { requirePrograms } from './require-programs.ts';
import { firmwareArguments, makeEmptyVariables, secureMachine } from './uefi-firmware.ts';

/** Ports inside the machine → ports on its own loopback address of the machine that runs the lab. */
const forwarded: Readonly<Record<number, number>> = { 22: 10_022, 5566: 15_566 };

/**
 * Servers that are emulated machines (software emulation only: a KVM device that opens need not work). A server from
 * an image is the initramfs worker; a server from a volume boots what is installed on it.
 */
export function qemuMachines(setup: {
  readonly workerInitramfs: () => Promise<string>;
  readonly memoryMiB?: number;
  readonly targets?: IscsiTargets;
}): StartMachine {
  const hosts = new LoopbackHosts();
  return async (plan, folder) => {
    requirePrograms('an emulated machine', 'setpriv', 'qemu-system-x86_64', 'python3');
    await mkdir(folder, { recursive: true });
    await using stack = new AsyncDisposableStack();
    const host = stack.adopt(await hosts.take(), (held) => hosts.release(held));
    const monitorPath = join(folder, 'monitor');
    const serialPath = join(folder, 'serial.log');
    const boot =
      plan.boot.kind === 'image'
        ? await workerArguments(plan, folder, await setup.workerInitramfs())
        : [...(await firmwareOf(plan, folder)), ...guestArguments(plan), ...(await configDriveArguments(plan, folder))];
    const output = await open(join(folder, 'qemu.log'), 'a');
    const nics = plan.nics.flatMap((nic, index) => [
      '-netdev',
      `user,id=net${index}${guestNetwork(plan, nic.ipv4)}${index === 0 ? forwards(host, plan, nic.ipv4) : ''}`,
      '-device',
      `virtio-net-pci,netdev=net${index},mac=${nic.mac},romfile=`,
    ]);
    const child = spawnBound(
      'qemu-system-x86_64',
      [
        '-no-user-config',
        '-nodefaults',
        '-name',
        plan.name,
        '-machine',
        isSecure(plan) ? secureMachine : 'pc',
        '-accel',
        'tcg,thread=multi,tb-size=256',
        '-cpu',
        'max,la57=off',
        '-smp',
        '2',
        '-m',
        String(setup.memoryMiB ?? 640),
        '-display',
        'none',
        '-no-reboot',
        '-rtc',
        'base=utc',
        '-serial',
        `file:${serialPath}`,
        '-qmp',
        `unix:${monitorPath},server=on,wait=off`,
        ...nics,
        ...boot,
      ],
      { stdio: ['ignore', output.fd, output.fd] },
    );
    const offered = new Map<string, string>();
    stack.defer(async () => {
      for (const iqn of offered.values()) await setup.targets?.withdraw(iqn);
    });
    stack.adopt(child, (emulator) => kill(emulator));
    await output.close();
    const monitor = stack.adopt(
      await QmpClient.connect(monitorPath, { emulator: child, log: join(folder, 'qemu.log') }),
      closing,
    );
    const machine: Machine = {
      async attach(volume) {
        const target = deviceNames(volume).target;
        if (setup.targets === undefined || target === undefined) return plug(monitor, volume);
        offered.set(volume.volumeId, target.iqn);
        await setup.targets.offer({ ...target, path: volume.path });
      },
      async detach(volumeId) {
        const iqn = offered.get(volumeId);
        if (iqn === undefined) return unplug(monitor, volumeId);
        offered.delete(volumeId);
        await setup.targets?.withdraw(iqn);
      },
      target: (port) => ({ host, port: forwarded[port] ?? port }),
      log: () => readFile(serialPath, 'utf8').catch(() => ''),
      stop: () => opened.disposeAsync(),
    };
    if (plan.boot.kind === 'image') for (const volume of plan.dataVolumes) await machine.attach(volume);
    const opened = stack.move();
    return machine;
  };
}

/** A guest is in its network as the cloud has it, with the address that the cloud gave; a worker knows its own. */
function guestNetwork(plan: MachinePlan, ipv4: string): string {
  if (!isRealNetwork(plan, ipv4)) return '';
  const network = ipv4.replace(/\.\d+$/, '');
  return `,net=${network}.0/24,host=${network}.1,dns=${network}.254,dhcpstart=${ipv4}`;
}

function forwards(host: string, plan: MachinePlan, ipv4: string): string {
  const inside = isRealNetwork(plan, ipv4) ? ipv4 : '';
  return Object.entries(forwarded)
    .map(([port, outside]) => `,hostfwd=tcp:${host}:${outside}-${inside}:${port}`)
    .join('');
}

/** Loopback addresses lead to workers from this machine; no guest could have one on a card. */
function isRealNetwork(plan: MachinePlan, ipv4: string): boolean {
  return plan.boot.kind === 'volume' && !ipv4.startsWith('127.');
}

async function workerArguments(plan: MachinePlan, folder: string, image: string): Promise<string[]> {
  const seed = join(folder, 'seed.json');
  await writeFile(seed, JSON.stringify(seedFromUserData(plan.userData, plan.publicKey)), { mode: 0o600 });
  return [
    '-kernel',
    join(image, 'vmlinuz'),
    '-initrd',
    join(image, 'initrd'),
    // The processor's own clock is as good as the emulator's, and asking that one is slow.
    '-append',
    `console=ttyS0 quiet tsc=reliable no_timer_check cryptomgr.notests rdinit=/init causeway.name=${plan.name}`,
    '-fw_cfg',
    `name=opt/causeway/seed,file=${seed}`,
  ];
}

function isSecure({ boot }: MachinePlan): boolean {
  return boot.kind === 'volume' && boot.firmware === 'uefi' && boot.secureBoot === true;
}

/** UEFI with an empty boot list when the server is to have it; else the emulator's own BIOS. */
async function firmwareOf(plan: MachinePlan, folder: string): Promise<string[]> {
  if (plan.boot.kind !== 'volume' || plan.boot.firmware !== 'uefi') return [];
  const variables = join(folder, 'uefi-variables');
  await makeEmptyVariables(variables, isSecure(plan));
  return firmwareArguments(variables, isSecure(plan));
}

/** Disks on the bus that the server is to have; the first one boots. */
function guestArguments(plan: MachinePlan): string[] {
  if (plan.boot.kind !== 'volume') return [];
  const bus = plan.boot.diskBus;
  const controllers = { scsi: ['-device', 'virtio-scsi-pci,id=scsi0'], ide: ['-device', 'ahci,id=ahci0'] }[bus] ?? [];
  const disks = [plan.boot, ...plan.dataVolumes].flatMap((volume, index) => {
    const { serial, lun } = deviceNames(volume);
    const device =
      {
        scsi: `scsi-hd,bus=scsi0.0,lun=${lun ?? index}`,
        ide: `ide-hd,bus=ahci0.${index}`,
      }[bus] ?? 'virtio-blk-pci';
    return [
      '-drive',
      `file=${volume.path},format=raw,if=none,id=disk${index},cache=unsafe,discard=unmap`,
      '-device',
      `${device},drive=disk${index}${serial === undefined ? '' : `,serial=${serial}`},bootindex=${index}`,
    ];
  });
  return [...controllers, ...disks];
}

/** Metadata as a small disk with the label that guest initialization agents look for, when the server is to have one. */
async function configDriveArguments(plan: MachinePlan, folder: string): Promise<string[]> {
  if (plan.boot.kind !== 'volume' || !plan.boot.configDrive) return [];
  const drive = join(folder, 'config-drive');
  const latest = join(drive, 'openstack', 'latest');
  await mkdir(latest, { recursive: true });
  const keys = plan.publicKey === undefined ? {} : { public_keys: { operator: plan.publicKey } };
  await writeFile(
    join(latest, 'meta_data.json'),
    JSON.stringify({ uuid: plan.serverId, name: plan.name, hostname: plan.name, ...keys }),
  );
  if (plan.userData !== '') await writeFile(join(latest, 'user_data'), plan.userData);
  return [
    '-blockdev',
    `driver=vvfat,node-name=config-file,dir=${drive},label=config-2,read-only=on`,
    '-device',
    'virtio-blk-pci,drive=config-file',
  ];
}

const nodeOf = (volumeId: string): string => `v${volumeId.replaceAll('-', '').slice(0, 30)}`;

async function plug(monitor: QmpClient, volume: MachineVolume): Promise<void> {
  const { volumeId, path } = volume;
  const { serial, lun, byPath } = deviceNames(volume);
  // Its image loads no driver for SCSI disks while it runs, and has nothing that makes names by path.
  if (lun !== undefined || byPath !== undefined)
    throw new Error('an emulated worker knows its disks by their serial or order only');
  const node = nodeOf(volumeId);
  await monitor.execute('blockdev-add', {
    'node-name': node,
    driver: 'raw',
    discard: 'unmap',
    cache: { direct: false, 'no-flush': false },
    file: { driver: 'file', filename: path, discard: 'unmap' },
  });
  const known = serial === undefined ? {} : { serial };
  await monitor.execute('device_add', { driver: 'virtio-blk-pci', drive: node, id: `d${node}`, ...known });
}

async function unplug(monitor: QmpClient, volumeId: string): Promise<void> {
  const node = nodeOf(volumeId);
  // The event comes twice, first for the device's back end and without its name; the node is free only after its own.
  const gone = monitor.event('DEVICE_DELETED', `d${node}`);
  gone.catch(() => {});
  await monitor.execute('device_del', { id: `d${node}` });
  await gone;
  await monitor.execute('blockdev-del', { 'node-name': node });
}
