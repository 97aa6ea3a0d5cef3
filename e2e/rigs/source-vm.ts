import { once } from 'node:events';
import { copyFile, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDebianGuest } from './images/ensure.ts';
import type { Progress } from './images/ensure.ts';
import { kill, run, spawnBound } from './machines/child-process.ts';
import { LoopbackHosts } from './machines/loopback-hosts.ts';
import { QmpClient } from './machines/qmp-client.ts';
import { requirePrograms } from './machines/require-programs.ts';
import { RigSsh } from './rig-ssh.ts';

export interface SourceDisk {
  readonly path: string;
  readonly format: 'raw' | 'qcow2';
}

export interface SourceVmOptions {
  /** Where its disk, sockets and logs are; has to be short enough for a socket's path. */
  readonly folder: string;
  /** Format of the guest's own disk, which is copied into `folder` unless it is there already. Default raw. */
  readonly format?: SourceDisk['format'];
  /** Further disks, in order; files that exist. */
  readonly dataDisks?: readonly SourceDisk[];
  /** Bus of all disks. Default `sata`: the guest knows no virtio. */
  readonly bus?: 'sata' | 'ide' | 'virtio';
  readonly name?: string;
  readonly memoryMiB?: number;
  readonly progress?: Progress;
}

export interface SourceVm {
  readonly name: string;
  /** Monitor socket for what is tested; it takes one client at a time. */
  readonly qmpSocket: string;
  /** All disks, the guest's own first. Their node names are `disk0`, `disk1`, … */
  readonly disks: readonly SourceDisk[];
  /** Root's shell in the guest. */
  readonly ssh: RigSsh;
  readonly serialLog: string;
  /** The rig's own monitor. */
  readonly monitor: QmpClient;
  /** Orderly power-off by the guest; resolves when the emulator has ended. */
  shutdown(): Promise<void>;
  /** Power cut. The disks stay. */
  close(): Promise<void>;
}

const sshPort = 10_022;
const hosts = new LoopbackHosts();

/** The Debian guest as a running VM, with changes as a test makes them by SSH. Resolves when it is powered on. */
export async function startSourceVm(options: SourceVmOptions): Promise<SourceVm> {
  const { folder, name = 'source-vm', bus = 'sata', format = 'raw' } = options;
  requirePrograms('the source VM', 'setpriv', 'qemu-system-x86_64', 'qemu-img', 'ssh');
  await mkdir(folder, { recursive: true });
  const image = await ensureDebianGuest(options.progress);
  const disks = [{ path: await ownDisk(folder, image, format), format }, ...(options.dataDisks ?? [])];
  const keyPath = join(folder, 'id_ed25519');
  await copyFile(join(image, 'id_ed25519'), keyPath);
  await run('chmod', ['600', keyPath]);
  const host = await hosts.take();
  const [qmpSocket, monitorSocket, serialLog] = ['qmp', 'rig-qmp', 'serial.log'].map((file) => join(folder, file)) as [string, string, string];
  for (const stale of [qmpSocket, monitorSocket]) await rm(stale, { force: true });
  const output = await open(join(folder, 'qemu.log'), 'a');
  const child = spawnBound('qemu-system-x86_64', [
    '-no-user-config', '-nodefaults', '-name', name, '-machine', 'pc', '-accel', 'tcg,thread=multi,tb-size=512', '-cpu', 'max',
    '-smp', '2', '-m', String(options.memoryMiB ?? 768), '-display', 'none', '-no-reboot', '-rtc', 'base=utc',
    '-serial', `file:${serialLog}`,
    '-qmp', `unix:${qmpSocket},server=on,wait=off`, '-qmp', `unix:${monitorSocket},server=on,wait=off`,
    '-netdev', `user,id=net0,hostfwd=tcp:${host}:${sshPort}-:22`,
    '-device', bus === 'virtio' ? 'virtio-net-pci,netdev=net0,addr=3,romfile=' : 'e1000,netdev=net0,addr=3,romfile=',
    ...diskArguments(disks, bus),
  ], { stdio: ['ignore', output.fd, output.fd] });
  await output.close();
  let monitor: QmpClient;
  try {
    monitor = await QmpClient.connect(monitorSocket);
  } catch {
    await kill(child);
    await hosts.release(host);
    throw new Error(`the emulator did not start: ${await readFile(join(folder, 'qemu.log'), 'utf8')}`);
  }
  const close = async (): Promise<void> => {
    monitor.close();
    await kill(child);
    await hosts.release(host);
  };
  return {
    name, qmpSocket, disks, serialLog, monitor, close,
    ssh: new RigSsh({ host, port: sshPort, user: 'root', keyPath }),
    shutdown: async () => {
      const ended = once(child, 'exit');
      await monitor.execute('system_powerdown');
      await Promise.race([ended, new Promise((_, reject) => {
        setTimeout(() => reject(new Error('the guest did not power off within 120 s')), 120_000).unref();
      })]);
      await close();
    },
  };
}

async function ownDisk(folder: string, image: string, format: SourceDisk['format']): Promise<string> {
  const path = join(folder, `disk.${format}`);
  const isThere = await open(path).then(async (file) => { await file.close(); return true; }, () => false);
  if (isThere) return path;
  const built = join(image, 'disk.raw');
  if (format === 'raw') await run('cp', ['--sparse=always', '--reflink=auto', built, path]);
  else await run('qemu-img', ['convert', '-f', 'raw', '-O', format, built, path]);
  return path;
}

function diskArguments(disks: readonly SourceDisk[], bus: NonNullable<SourceVmOptions['bus']>): string[] {
  const controller = bus === 'sata' ? ['-device', 'ahci,id=ahci0'] : [];
  return [...controller, ...disks.flatMap(({ path, format }, index) => {
    const device = {
      sata: `ide-hd,bus=ahci0.${index}`,
      ide: `ide-hd,bus=ide.${Math.floor(index / 2)},unit=${index % 2}`,
      virtio: 'virtio-blk-pci',
    }[bus];
    return [
      '-blockdev', `driver=${format},node-name=disk${index},discard=unmap,file.driver=file,file.filename=${path},file.discard=unmap`,
      '-device', `${device},drive=disk${index},id=device${index},serial=source-disk-${index},bootindex=${index}`,
    ];
  })];
}
