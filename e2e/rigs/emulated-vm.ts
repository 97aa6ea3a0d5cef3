import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { closing } from './closing.ts';
import { kill, spawnBound } from './machines/child-process.ts';
import { LoopbackHosts } from './machines/loopback-hosts.ts';
import { QmpClient } from './machines/qmp-client.ts';
import { firmwareArguments } from './machines/uefi-firmware.ts';
import { RigSsh } from './rig-ssh.ts';

export interface SourceDisk {
  readonly path: string;
  readonly format: 'raw' | 'qcow2';
}

/** `scsi` is VirtIO's. */
export type DiskBus = 'sata' | 'ide' | 'virtio' | 'scsi';

/** A VM of QEMU to move: running, reached by SSH, its monitor open to what is tested. */
export interface SourceVm {
  readonly name: string;
  /** Monitor socket for what is tested; it takes one client at a time. */
  readonly qmpSocket: string;
  /** All disks, in order. Their node names are `disk0`, `disk1`, … */
  readonly disks: readonly SourceDisk[];
  /** The channel of the guest's agent, which answers when the guest has one. */
  readonly agentSocket: string;
  /** Root's shell in the guest. */
  readonly ssh: RigSsh;
  readonly serialLog: string;
  /** The rig's own monitor. */
  readonly monitor: QmpClient;
  /** Waits for a question on the serial console, and types the answer. */
  answer(question: RegExp, answer: string, timeoutMs: number): Promise<void>;
  /** Orderly power-off by the guest; resolves when the emulator has ended. */
  shutdown(): Promise<void>;
  /** Power cut. The disks stay. */
  close(): Promise<void>;
}

export interface EmulatedVmOptions {
  /** Where sockets and logs are; has to be short enough for a socket's path. */
  readonly folder: string;
  readonly name: string;
  readonly disks: readonly SourceDisk[];
  readonly bus: DiskBus;
  readonly memoryMiB: number;
  /** Default 2. Two VMs of one each start in less time than one of two after the other. */
  readonly processors?: number;
  /** What it writes need not outlive this computer's power: its flushes end at once. */
  readonly isScratch?: boolean;
  /** File of the private key that opens root's account. */
  readonly keyPath: string;
  /** Kernel to start, as arguments of the emulator. Without it, the first disk boots. */
  readonly kernel?: readonly string[];
  /** File with the variables of its UEFI firmware, which writes to it. Without it, the firmware is a BIOS. */
  readonly variables?: string;
  readonly nic?: VmNic;
}

/** The VM's network card. */
export interface VmNic {
  readonly macAddress?: string;
  /** The address that its network gives it by DHCP, and at which SSH is looked for; its network is the /24 around it. */
  readonly address?: string;
}

const sshPort = 10_022;
const hosts = new LoopbackHosts();

/** Powers the VM on. Resolves when the emulator runs; its guest needs longer. */
export async function powerOn(options: EmulatedVmOptions): Promise<SourceVm> {
  const { folder, name, disks, bus, keyPath, kernel, variables, nic = {}, processors = 2, isScratch = false } = options;
  await mkdir(folder, { recursive: true });
  await using stack = new AsyncDisposableStack();
  const host = stack.adopt(await hosts.take(), (held) => hosts.release(held));
  const [qmpSocket, monitorSocket, agentSocket, serialSocket, serialLog] = [
    'qmp',
    'rig-qmp',
    'qga',
    'serial',
    'serial.log',
  ].map((file) => join(folder, file)) as [string, string, string, string, string];
  for (const stale of [qmpSocket, monitorSocket, agentSocket, serialSocket]) await rm(stale, { force: true });
  const output = await open(join(folder, 'qemu.log'), 'a');
  const child = spawnBound(
    'qemu-system-x86_64',
    [
      '-no-user-config',
      '-nodefaults',
      '-name',
      name,
      '-machine',
      'pc',
      ...acceleration(isScratch && processors === 1),
      '-cpu',
      'max',
      '-smp',
      String(processors),
      '-m',
      String(options.memoryMiB),
      '-display',
      'none',
      '-no-reboot',
      '-rtc',
      'base=utc',
      '-chardev',
      `socket,id=serial,path=${serialSocket},server=on,wait=off,logfile=${serialLog}`,
      '-serial',
      'chardev:serial',
      '-qmp',
      `unix:${qmpSocket},server=on,wait=off`,
      '-qmp',
      `unix:${monitorSocket},server=on,wait=off`,
      '-netdev',
      `user,id=net0${networkOf(nic)},hostfwd=tcp:${host}:${sshPort}-${nic.address ?? ''}:22`,
      '-device',
      `${bus === 'virtio' || bus === 'scsi' ? 'virtio-net-pci' : 'e1000'},netdev=net0,addr=3,romfile=${nic.macAddress === undefined ? '' : `,mac=${nic.macAddress}`}`,
      ...diskArguments(disks, bus, kernel === undefined, isScratch),
      ...(variables === undefined ? [] : firmwareArguments(variables)),
      '-chardev',
      `socket,id=agent,path=${agentSocket},server=on,wait=off`,
      '-device',
      'virtio-serial-pci',
      '-device',
      'virtserialport,chardev=agent,name=org.qemu.guest_agent.0',
      ...(kernel ?? []),
    ],
    { stdio: ['ignore', output.fd, output.fd] },
  );
  stack.adopt(child, (emulator) => kill(emulator));
  await output.close();
  const monitor = stack.adopt(
    await QmpClient.connect(monitorSocket, { emulator: child, log: join(folder, 'qemu.log') }),
    closing,
  );
  const opened = stack.move();
  const close = (): Promise<void> => opened.disposeAsync();
  return {
    name,
    qmpSocket,
    agentSocket,
    disks,
    serialLog,
    monitor,
    close,
    ssh: new RigSsh({ host, port: sshPort, user: 'root', keyPath }),
    answer: async (question, answer, timeoutMs) => {
      const until = Date.now() + timeoutMs;
      while (!question.test(await readFile(serialLog, 'latin1').catch(() => ''))) {
        if (Date.now() > until)
          throw new Error(
            `${name} did not ask for ${String(question)}: ${(await readFile(serialLog, 'latin1').catch(() => '')).slice(-1000)}`,
          );
        await delay(500);
      }
      const socket = connect(serialSocket);
      await once(socket, 'connect');
      socket.end(`${answer}\n`);
      await once(socket, 'close');
    },
    shutdown: async () => {
      const ended = once(child, 'exit');
      await monitor.execute('system_powerdown');
      await Promise.race([
        ended,
        new Promise((_, reject) => {
          setTimeout(() => reject(new Error('the guest did not power off within 120 s')), 120_000).unref();
        }),
      ]);
      await close();
    },
  };
}

/**
 * The clock of a guest with one processor goes by what it has executed, and only while it waits by this computer's. By the latter alone, a guest beside
 * other work runs into time limits that nobody can lengthen, e.g. of systemd's generators: it starts without its mounts and without a network.
 */
function acceleration(byInstructions: boolean): string[] {
  return byInstructions
    ? ['-accel', 'tcg,tb-size=512', '-icount', 'shift=1']
    : ['-accel', 'tcg,thread=multi,tb-size=512'];
}

function networkOf({ address }: VmNic): string {
  if (address === undefined) return '';
  const network = address.replace(/\.\d+$/, '');
  return `,net=${network}.0/24,host=${network}.1,dns=${network}.254,dhcpstart=${address}`;
}

function diskArguments(disks: readonly SourceDisk[], bus: DiskBus, boots: boolean, isScratch: boolean): string[] {
  const controller = {
    sata: ['-device', 'ahci,id=ahci0'],
    scsi: ['-device', 'virtio-scsi-pci,id=scsi0'],
    ide: [],
    virtio: [],
  }[bus];
  return [
    ...controller,
    ...disks.flatMap(({ path, format }, index) => {
      const device = {
        sata: `ide-hd,bus=ahci0.${index}`,
        ide: `ide-hd,bus=ide.${Math.floor(index / 2)},unit=${index % 2}`,
        virtio: 'virtio-blk-pci',
        scsi: `scsi-hd,bus=scsi0.0,scsi-id=${index}`,
      }[bus];
      return [
        '-blockdev',
        `driver=${format},node-name=disk${index},discard=unmap,file.driver=file,file.filename=${path},file.discard=unmap${isScratch ? ',cache.no-flush=on' : ''}`,
        '-device',
        `${device},drive=disk${index},id=device${index},serial=source-disk-${index}${boots ? `,bootindex=${index}` : ''}`,
      ];
    }),
  ];
}
