// needs: qemu-utils
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createQemuHypervisorSource } from '../../electron/engine/platforms/qemu-hypervisor/index.ts';
import type { FleecingChoice } from '../../electron/engine/platforms/qemu-hypervisor/take-snapshot.ts';
import { closing, temporaryFolder } from '../rigs/closing.ts';
import { QemuProcess } from './qemu-process.ts';
import { leftovers, vmStatus } from './qemu-state.ts';
import { callsThrough, QmpRelay } from './qmp-relay.ts';
import type { SourceHarness } from './source-harness.ts';

const MIB = 1024 * 1024;
const run = promisify(execFile);

interface HarnessDisk {
  readonly id: string;
  readonly format: 'raw' | 'qcow2';
  readonly file: string;
  readonly qdev: string;
  readonly node: string;
}

export interface QemuHarness extends SourceHarness {
  readonly folder: string;
  readonly scratchFolder: string;
  readonly qemu: () => QemuProcess;
  readonly disks: readonly HarnessDisk[];
  /** Ends QEMU in one way and starts it again with the same disks. */
  restart(way: 'quit' | 'kill'): Promise<void>;
}

export interface QemuHarnessOptions {
  readonly fleecing?: FleecingChoice;
  /** Default: a folder of its own. */
  readonly scratchFolder?: string;
}

/** A running QEMU with a raw SATA disk and a qcow2 virtio disk; no guest: its writes are made through the monitor. */
export async function qemuHarness(options: QemuHarnessOptions = {}): Promise<QemuHarness> {
  await using stack = new AsyncDisposableStack();
  const folder = await temporaryFolder(stack, 'cwy-qemu-');
  const scratchFolder = options.scratchFolder ?? folder;
  const sockets = { source: join(folder, 'source.qmp'), test: join(folder, 'test.qmp') };
  const disks: HarnessDisk[] = [
    {
      id: 'system',
      format: 'raw',
      file: join(folder, 'system.raw'),
      qdev: '/machine/peripheral/system',
      node: 'system-node',
    },
    {
      id: 'data',
      format: 'qcow2',
      file: join(folder, 'data.qcow2'),
      qdev: '/machine/peripheral/data/virtio-backend',
      node: 'data-node',
    },
  ];
  await run('qemu-img', ['create', '-q', '-f', 'raw', disks[0]?.file ?? '', String(16 * MIB)]).catch(
    (error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new Error('qemu-img is not installed (Debian package qemu-utils)') : error;
    },
  );
  await run('qemu-img', ['create', '-q', '-f', 'qcow2', disks[1]?.file ?? '', String(8 * MIB)]);
  const blockdev = (disk: HarnessDisk) => ({
    driver: disk.format,
    'node-name': disk.node,
    discard: 'unmap',
    file: { driver: 'file', filename: disk.file, discard: 'unmap', cache: { 'no-flush': true } },
    cache: { 'no-flush': true },
  });
  const start = () =>
    QemuProcess.start(sockets, 'web-01', [
      '-device',
      'ahci,id=ahci',
      ...disks.slice(0, 2).flatMap((disk) => ['-blockdev', JSON.stringify(blockdev(disk))]),
      '-device',
      'ide-hd,id=system,drive=system-node,bus=ahci.0',
      '-device',
      'virtio-blk-pci,id=data,drive=data-node',
      '-netdev',
      'user,id=lan,restrict=on',
      '-device',
      'e1000,netdev=lan,mac=52:54:00:aa:bb:cc,romfile=',
    ]);
  let qemu = await start();
  stack.defer(() => qemu.kill());
  const relay = stack.adopt(await QmpRelay.start(join(folder, 'relay.qmp'), sockets.source), closing);
  const sourceAt = (socket: string) =>
    createQemuHypervisorSource(
      { qmp_sockets: { 'web-01': socket }, scratch_folder: scratchFolder },
      { scratchFolder: join(folder, 'ours') },
      options.fleecing ?? 'auto',
    );
  const platform = stack.adopt(sourceAt(sockets.source), closing);
  const disk = (index: number): HarnessDisk => {
    const found = disks[index];
    if (found === undefined) throw new Error(`no disk ${index}`);
    return found;
  };
  const restart = async (way: 'quit' | 'kill') => {
    await qemu[way]();
    qemu = await start();
  };
  const opened = stack.move();
  const harness: QemuHarness = {
    platform,
    calls: callsThrough(relay),
    reopen: () => sourceAt(relay.path),
    async leftovers() {
      const { inQemu, files } = await leftovers(harness);
      const status = await vmStatus(harness);
      return [...inQemu, ...files, ...(status === 'running' ? [] : [`the VM is ${JSON.stringify(status)}`])];
    },
    folder,
    scratchFolder,
    disks,
    qemu: () => qemu,
    restart,
    vmId: 'web-01',
    environment: {},
    diskIds: ['system', 'data'],
    tracksChanges: true,
    isLive: true,
    write: (index, offset, length, byte) => qemu.io(disk(index).qdev, `write -P ${byte} ${offset} ${length}`),
    zero: (index, offset, length) => qemu.io(disk(index).qdev, `write -z -u ${offset} ${length}`),
    async content(index) {
      await qemu.io(disk(index).qdev, 'flush');
      const copy = join(folder, `content-${index}`);
      await run('qemu-img', ['convert', '-U', '-f', disk(index).format, '-O', 'raw', disk(index).file, copy]);
      return readFile(copy);
    },
    async addDisk(sizeBytes, byte) {
      const added: HarnessDisk = {
        id: 'added',
        format: 'qcow2',
        file: join(folder, 'added.qcow2'),
        qdev: '/machine/peripheral/added/virtio-backend',
        node: 'added-node',
      };
      await run('qemu-img', ['create', '-q', '-f', 'qcow2', added.file, String(sizeBytes)]);
      await qemu.execute('blockdev-add', blockdev(added));
      await qemu.execute('device_add', { driver: 'virtio-blk-pci', id: 'added', drive: 'added-node' });
      await qemu.io(added.qdev, `write -P ${byte} 0 ${sizeBytes}`);
      disks.push(added);
      return added.id;
    },
    async growDisk(index, sizeBytes) {
      await qemu.execute('block_resize', { 'node-name': disk(index).node, size: sizeBytes });
    },
    spoil: () => restart('kill'),
    loseBase: () => restart('quit'),
    close: () => opened.disposeAsync(),
  };
  return harness;
}
