import { once } from 'node:events';
import { constants } from 'node:fs';
import { access, copyFile, mkdir, open, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { volumeSerial } from '../cloud-kit/server-machines.ts';
import type { DeviceNames, MachineVolume } from '../cloud-kit/server-machines.ts';
import { endProcess, kill, run, spawnBound } from './child-process.ts';
import { seedFromUserData } from './cloud-config.ts';
import { LoopDevice } from './loop-device.ts';
import type { Machine, StartMachine } from './machine.ts';
import { requirePrograms } from './require-programs.ts';

const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/**
 * Workers that are the worker image's root file system in namespaces: real sshd, real accounts, volumes as loop
 * devices. No virtual machine, so they are up in less than a second. Needs root.
 */
export function nativeWorkers(setup: { readonly imageRoot: string; readonly outbound: boolean }): StartMachine {
  requirePrograms(
    'a native worker',
    'setpriv',
    'unshare',
    'losetup',
    'ip',
    'python3',
    ...(setup.outbound ? ['slirp4netns'] : []),
  );
  return async (plan, folder) => {
    if (plan.boot.kind !== 'image') throw new Error('a native worker starts from an image, not from a volume');
    await mkdir(folder, { recursive: true });
    await rm(join(folder, 'ready'), { force: true });
    await writeFile(join(folder, 'seed.json'), JSON.stringify(seedFromUserData(plan.userData, plan.publicKey)));
    await copyFile(beside('apply-seed.py'), join(folder, 'apply-seed.py'));
    if (setup.outbound) await writeFile(join(folder, 'resolv.conf'), 'nameserver 10.0.2.3\n');
    await using stack = new AsyncDisposableStack();
    const loops = new Map<string, { readonly loop: LoopDevice; readonly names: readonly string[] }>();
    stack.defer(async () => void (await Promise.all([...loops.values()].map(({ loop }) => loop.close()))));
    const console = await open(join(folder, 'console.log'), 'a');
    const namespaces = ['--mount', '--pid', '--uts', '--ipc', '--net', '--fork', '--kill-child=KILL'];
    const child = spawnBound(
      'unshare',
      [...namespaces, beside('native-worker.sh'), setup.imageRoot, folder, plan.name],
      {
        stdio: ['ignore', console.fd, console.fd],
      },
    );
    await console.close();
    /** Of the worker's first process; 0 before it is known. */
    let pid = 0;
    const isDown = (): boolean => child.exitCode !== null || child.signalCode !== null;
    stack.defer(async () => {
      if (isDown()) return;
      const ended = once(child, 'exit');
      // The worker's first process takes all others with it, and is waited for by its parent.
      if (pid === 0) child.kill('SIGKILL');
      else endProcess(pid);
      await ended;
    });
    const deadline = Date.now() + 60_000;
    while (!(await exists(join(folder, 'ready')))) {
      if (isDown() || Date.now() > deadline) {
        throw new Error(`native worker did not start: ${await readFile(join(folder, 'console.log'), 'utf8')}`);
      }
      await delay(5);
    }
    // setpriv and unshare replaced each other in one process; its only child is the worker's first process.
    const children = await readFile(`/proc/${String(child.pid)}/task/${String(child.pid)}/children`, 'utf8');
    pid = Number(children.trim());
    if (setup.outbound) {
      const args = ['--configure', '--mtu=65520', '--disable-host-loopback', String(pid), 'tap0'];
      stack.adopt(spawnBound('slirp4netns', args, { stdio: 'ignore' }), (uplink) => kill(uplink));
    }
    const inside = (path: string): string => `/proc/${pid}/root${path}`;

    const machine: Machine = {
      attach: async (volume) => {
        // Its process id may be somebody else's by now.
        if (isDown()) throw new Error('the machine is down');
        const loop = await LoopDevice.open(volume.path);
        const names = linksOf(volume);
        loops.set(volume.volumeId, { loop, names });
        await run('mknod', ['-m', '660', inside(`/dev/${loop.name}`), 'b', '7', String(loop.minor)]);
        if (volume.device === undefined)
          await symlink(`../devices/virtual/block/${loop.name}`, inside(`/sys/block/${loop.name}`));
        else await layOutDevice(loop.name, volume.device, inside('/sys/block'));
        for (const name of names) {
          await mkdir(dirname(inside(`/dev/${name}`)), { recursive: true });
          await symlink(`/dev/${loop.name}`, inside(`/dev/${name}`));
        }
      },
      detach: async (volumeId) => {
        const attached = loops.get(volumeId);
        if (attached === undefined) return;
        const { loop, names } = attached;
        loops.delete(volumeId);
        if (!isDown()) {
          for (const name of names) await rm(inside(`/dev/${name}`), { force: true });
          await rm(inside(`/sys/block/${loop.name}`), { force: true, recursive: true });
          await rm(inside(`/dev/${loop.name}`), { force: true });
        }
        await loop.close();
      },
      target: (port) => ({ host: '127.0.0.1', port, netns: `/proc/${pid}/ns/net` }),
      within: ['nsenter', '--target', String(pid), '--mount', '--pid', '--uts', '--ipc', '--'],
      log: () => readFile(join(folder, 'console.log'), 'utf8'),
      stop: () => opened.disposeAsync(),
    };
    for (const volume of plan.dataVolumes) await machine.attach(volume);
    const opened = stack.move();
    return machine;
  };
}

/** Names of a volume's device below `/dev`, beside its own. */
function linksOf({ volumeId, device }: MachineVolume): string[] {
  if (device === undefined) return [`disk/by-id/virtio-${volumeSerial(volumeId)}`];
  return [...(device.byPath === undefined ? [] : [`disk/by-path/${device.byPath}`]), ...(device.links ?? [])];
}

/**
 * A device in the worker's `/sys/block` as its cloud shows it: everything is the loop device's own but what it is known by. Without
 * a serial nothing tells which file is behind it.
 */
async function layOutDevice(name: string, device: DeviceNames, folder: string): Promise<void> {
  const own = `/sys/devices/virtual/block/${name}`;
  await mkdir(join(folder, name));
  for (const entry of await readdir(own)) {
    if (!['loop', 'serial', 'device'].includes(entry)) await symlink(`${own}/${entry}`, join(folder, name, entry));
  }
  if (device.serial !== undefined) await writeFile(join(folder, name, 'serial'), device.serial);
  // A SCSI device is named host:channel:target:lun.
  if (device.lun !== undefined) await symlink(`${own}/2:0:0:${device.lun}`, join(folder, name, 'device'));
}

async function exists(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
}
