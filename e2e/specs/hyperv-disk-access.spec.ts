import { open as openFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { DiskReader } from '../../electron/engine/ports/disk-reader.ts';
import type { Snapshot, SourcePlatform } from '../../electron/engine/ports/source-platform.ts';
import { firstDifference, readOnto, type DiskRead } from '../conformance/read-snapshot.ts';
import {
  hypervHarness,
  type HypervHarness,
  type HypervHarnessOptions,
} from '../rigs/windows-hypervisor/source-harness.ts';
import { makeHostKey, startSshServer, type RigSshServer } from '../rigs/windows-hypervisor/ssh-server.ts';

const MIB = 2 ** 20;
const signal = new AbortController().signal;

describe('the reader of Hyper-V disks, on VHDX files', () => {
  let lab: HypervHarness;
  let ssh: RigSshServer | undefined;
  let platform: SourcePlatform;
  let tags = 0;
  const start = async (options: HypervHarnessOptions = {}): Promise<void> => {
    lab = await hypervHarness({ reader: true, ...options });
    platform = lab.platform;
    await lab.write(0, 3 * MIB, 5 * MIB, 0x41);
    await lab.write(1, 7 * MIB, MIB, 0x42);
  };
  const startOverSsh = async (hostKeys?: readonly string[]): Promise<void> => {
    await start();
    ssh = await startSshServer(lab.rig, '127.0.0.1');
    platform = lab.open({
      management: 'ssh',
      ssh_port: ssh.port,
      ssh_host_keys: [...(hostKeys ?? [ssh.hostKey])],
      password: lab.rig.password,
    });
  };
  afterEach(async () => {
    if (platform !== lab.platform) await platform.close();
    await ssh?.close();
    ssh = undefined;
    await lab.close();
  });

  const snapshot = (base?: Snapshot): Promise<Snapshot> =>
    platform.createSnapshot(
      { vmId: lab.vmId, tag: `tag-${(tags += 1)}`, environment: {}, ...(base === undefined ? {} : { base }) },
      signal,
    );
  const open = (taken: Snapshot, base?: Snapshot, disk = 0): Promise<DiskReader> =>
    platform.openDisk(taken, lab.diskIds[disk] ?? '', base, signal);
  const read = async (taken: Snapshot, base?: Snapshot, former?: Buffer, disk = 0): Promise<DiskRead> => {
    const reader = await open(taken, base, disk);
    try {
      return await readOnto(reader, former, signal);
    } finally {
      await reader.close();
    }
  };

  it.each([
    ['over TLS, with certificates of this one run', start],
    ['over the SSH session', startOverSsh],
  ])('reads in full and then what changed, %s, and leaves nothing on the host', async (_way, begin) => {
    await begin();
    const first = await snapshot();
    const [full, second] = [await read(first), await read(first, undefined, undefined, 1)];
    expect([
      firstDifference(full.replica, await lab.content(0)),
      firstDifference(second.replica, await lab.content(1)),
    ]).toEqual([undefined, undefined]);
    // Digests are computed on the host: zeros are told, and are not read.
    expect([full.dataBytes, full.zeroBytes]).toEqual([5 * MIB, 11 * MIB]);
    await platform.promoteToBase(first, undefined, signal);
    await lab.write(0, 4 * MIB, 64 * 1024, 0x43);
    await lab.zero(0, 6 * MIB, 128 * 1024);
    const next = await snapshot(first);
    const changed = await read(next, first, full.replica);
    expect([changed.coverage, changed.dataBytes, changed.zeroBytes]).toEqual(['changed', 64 * 1024, 128 * 1024]);
    expect(firstDifference(changed.replica, await lab.content(0))).toBeUndefined();
    await platform.promoteToBase(next, first, signal);
    await platform.deleteBase(next, signal);
    expect(await lab.leftovers()).toEqual([]);
    if (ssh !== undefined) expect(ssh.streams()).toBe(0);
  });

  it('compares by digests of the last execution when Windows does not know what changed: only what differs is read', async () => {
    await start();
    const base = await snapshot();
    const { replica } = await read(base);
    await platform.promoteToBase(base, undefined, signal);
    // Tracked changes carry the digests on: those of blocks that did not change are the base's.
    await lab.write(0, 9 * MIB + 4096, 4096, 0x44);
    const tracked = await snapshot(base);
    const second = await read(tracked, base, replica);
    expect(second.dataBytes).toBeLessThanOrEqual(64 * 1024);
    await platform.promoteToBase(tracked, base, signal);
    await lab.write(0, 12 * MIB, 64 * 1024, 0x45);
    await lab.zero(0, 3 * MIB, 64 * 1024);
    for (const disk of lab.vm.disks) disk.resetTracking();
    const compared = await snapshot(tracked);
    const third = await read(compared, tracked, second.replica);
    expect([
      third.coverage,
      third.dataBytes,
      third.zeroBytes,
      firstDifference(third.replica, await lab.content(0)),
    ]).toEqual(['changed', 64 * 1024, 64 * 1024, undefined]);
    expect(lab.notes.join('\n')).toMatch(/does not know what changed/);
    await platform.discardSnapshot(compared, tracked, signal);
  });

  it('is started again when it is lost while a disk is read, and what it left behind is removed', async () => {
    await start();
    const taken = await snapshot();
    const reader = await open(taken);
    const into = Buffer.alloc(MIB);
    await reader.read(3 * MIB, into, signal);
    lab.rig.readers[0]?.kill();
    await reader.read(4 * MIB, into, signal);
    expect(into.equals(Buffer.alloc(MIB, 0x41))).toBe(true);
    expect(lab.rig.readers).toHaveLength(2);
    expect(lab.notes.join('\n')).toMatch(/connection to the reader on 127\.0\.0\.1 was lost/);
    await reader.close();
    await platform.discardSnapshot(taken, undefined, signal);
    expect(await lab.leftovers()).toEqual([]);
  });

  it('is removed by what the ledger has on record of it, while it runs, by another process', async () => {
    await start();
    const taken = await snapshot();
    const died = lab.reopen();
    await died.openDisk(taken, lab.diskIds[0] ?? '', undefined, signal);
    const entries = lab.entries();
    expect(entries).toMatchObject([
      { kind: 'other', lifetime: 'temporary', state: 'existing', details: { host: '127.0.0.1' } },
    ]);
    expect(lab.rig.world.rulesOf('127.0.0.1').size).toBe(1);
    for (const entry of entries) await lab.removeRecorded(entry);
    await lab.rig.readers[0]?.gone;
    expect((await lab.leftovers()).filter((left) => /reader/.test(left))).toEqual([]);
    await platform.discardSnapshot(taken, undefined, signal);
    await died.close();
  });

  it('of a process that was killed is removed when another one gives the snapshot up, or promotes what was read', async () => {
    await start();
    const [first, second] = [await snapshot(), await snapshot()];
    for (const [taken, settle] of [
      [first, (other: SourcePlatform) => other.discardSnapshot(first, undefined, signal)],
      [second, (other: SourcePlatform) => other.promoteToBase(second, undefined, signal)],
    ] as const) {
      const died = lab.reopen();
      await died.openDisk(taken, lab.diskIds[0] ?? '', undefined, signal);
      expect(lab.entries().map(({ state }) => state)).toContain('existing');
      const other = lab.reopen();
      await settle(other);
      expect((await lab.leftovers()).filter((left) => /reader/.test(left))).toEqual([]);
      for (const each of [other, died]) await each.close();
    }
    await platform.deleteBase(second, signal);
    expect(await lab.leftovers()).toEqual([]);
  });

  it.each([
    ['vhdx', 'fixed'],
    ['vhd', 'dynamic'],
    ['vhd', 'fixed'],
  ])('reads a %s of type %s, and what differs the next time', async (format, type) => {
    await start();
    const [disk] = lab.vm.disks;
    if (disk === undefined) throw new Error('no disk');
    Object.assign(disk, { format, type, path: disk.path.replace('.vhdx', `.${format}`) });
    expect(
      (await platform.unsupportedDevices?.(lab.vmId, signal))?.filter((said) => /is a VHD/.test(said)),
    ).toHaveLength(format === 'vhd' ? 1 : 0);
    const first = await snapshot();
    const full = await read(first);
    expect(firstDifference(full.replica, await lab.content(0))).toBeUndefined();
    await platform.promoteToBase(first, undefined, signal);
    await lab.write(0, 9 * MIB, 64 * 1024, 0x46);
    const next = await snapshot(first);
    const changed = await read(next, first, full.replica);
    // By digests where Windows tracks nothing.
    expect([changed.coverage, changed.dataBytes, firstDifference(changed.replica, await lab.content(0))]).toEqual([
      'changed',
      64 * 1024,
      undefined,
    ]);
    await platform.discardSnapshot(next, first, signal);
  });

  it('reads a chain of differencing files whose blocks they have in part, what changed on a further one, and what differs on an applied checkpoint', async () => {
    await start();
    const [disk] = lab.vm.disks;
    if (disk === undefined) throw new Error('no disk');
    const file = (number: number): string =>
      `D:\\VMs\\web-01\\disk-0_0000000${number}-0000-4000-8000-000000000000.avhdx`;
    disk.addFile(file(1));
    await lab.write(0, 3 * MIB + 512, 1024, 0x51);
    await lab.zero(0, 4 * MIB, MIB);
    await lab.write(0, 12 * MIB, 70_000 - (70_000 % 512), 0x52);
    disk.addFile(file(2));
    await lab.write(0, 3 * MIB + 1024, 512, 0x53);
    await lab.write(0, 15 * MIB, MIB, 0x54);
    const first = await snapshot();
    const full = await read(first);
    expect(firstDifference(full.replica, await lab.content(0))).toBeUndefined();
    expect(Object.keys(lab.rig.files.made())).toEqual(
      [disk.chain[1], disk.chain[0], disk.path].concat(lab.vm.disks[1]?.path ?? ''),
    );
    await platform.promoteToBase(first, undefined, signal);

    disk.addFile(file(3));
    await lab.write(0, 5 * MIB, 64 * 1024, 0x55);
    const next = await snapshot(first);
    const changed = await read(next, first, full.replica);
    expect([changed.coverage, changed.dataBytes, firstDifference(changed.replica, await lab.content(0))]).toEqual([
      'changed',
      64 * 1024,
      undefined,
    ]);
    await platform.promoteToBase(next, first, signal);

    // What was written since is lost, and nothing that was tracked says so.
    disk.goBack(file(4));
    await lab.write(0, 7 * MIB, 64 * 1024, 0x56);
    const applied = await snapshot(next);
    const compared = await read(applied, next, changed.replica);
    expect([compared.dataBytes, firstDifference(compared.replica, await lab.content(0))]).toEqual([
      128 * 1024,
      undefined,
    ]);
    expect(lab.notes.join('\n')).toMatch(/disk SCSI 0:0 no longer builds on the file/);
    await platform.discardSnapshot(applied, next, signal);
  });

  it('reads nothing of a differencing file whose parent was changed', async () => {
    await start();
    const [disk] = lab.vm.disks;
    disk?.addFile(disk.path.replace('.vhdx', '_1.avhdx'));
    await lab.write(0, 0, 512, 0x57);
    const taken = await snapshot();
    await read(taken);
    // As Windows does when somebody attaches it to write.
    const parent = await openFile(Object.values(lab.rig.files.made())[0] ?? '', 'r+');
    for (const kib of [64, 128]) await parent.write(Buffer.alloc(16, 0xee), 0, 16, kib * 1024 + 32);
    await parent.close();
    await expect(read(taken)).rejects.toMatchObject({ message: expect.stringContaining('was changed') as string });
    await platform.discardSnapshot(taken, undefined, signal);
  });

  it('is looked for on the host that it was started on, also when the cluster no longer has that one', async () => {
    await start({ nodes: ['127.0.0.1', '127.0.0.2'] });
    lab.rig.world.clusterName = 'CL1';
    lab.vm.node = '127.0.0.2';
    const taken = await snapshot();
    const died = lab.reopen();
    await died.openDisk(taken, lab.diskIds[0] ?? '', undefined, signal);
    lab.vm.node = '127.0.0.1';
    lab.rig.world.nodes.splice(1, 1);
    const [entry] = lab.entries();
    if (entry === undefined) throw new Error('nothing on record');
    expect(entry.details).toMatchObject({ host: '127.0.0.2' });
    await lab.removeRecorded(entry);
    expect([...lab.rig.world.rulesOf('127.0.0.2')]).toEqual([]);
    await lab.rig.readers[0]?.gone;
    await platform.discardSnapshot(taken, undefined, signal);
    await died.close();
  });

  it('leaves nothing on the host when it is cancelled while it starts', async () => {
    await start();
    const taken = await snapshot();
    const cancelled = new AbortController();
    lab.rig.effects = ({ name }) => {
      if (name === 'Receive run-reader') cancelled.abort();
      return 'serve';
    };
    await expect(platform.openDisk(taken, lab.diskIds[0] ?? '', undefined, cancelled.signal)).rejects.toMatchObject({
      code: 'general.cancelled',
    });
    lab.rig.effects = () => 'serve';
    await Promise.all(lab.rig.readers.map(({ gone }) => gone));
    expect([...lab.rig.world.rulesOf('127.0.0.1')]).toEqual([]);
    await platform.discardSnapshot(taken, undefined, signal);
  });

  it('leaves nothing on the host or on record when it does not start in time', async () => {
    await start({ readerStartMs: 500 });
    const taken = await snapshot();
    lab.rig.effects = ({ name }) => (name === 'Receive run-reader' ? 'never-answer' : 'serve');
    await expect(open(taken)).rejects.toMatchObject({
      code: 'source.reader-failed',
      message: expect.stringContaining('did not start within 0.5 s') as string,
    });
    await platform.discardSnapshot(taken, undefined, signal);
    expect(await lab.leftovers()).toEqual([]);
  });

  it('says why it did not start, and the check names it', async () => {
    await start();
    lab.rig.world.canReadDisks = false;
    const taken = await snapshot();
    await expect(open(taken)).rejects.toMatchObject({
      code: 'source.reader-failed',
      message: expect.stringContaining('blocked by the administrator') as string,
    });
    expect((await platform.check(signal)).steps.find(({ name }) => name === 'Read disks')).toMatchObject({
      outcome: 'failed',
      code: 'source.reader-failed',
    });
    await platform.discardSnapshot(taken, undefined, signal);
    lab.rig.world.canReadDisks = true;
    expect((await platform.check(signal)).steps.find(({ name }) => name === 'Read disks')).toMatchObject({
      outcome: 'passed',
      evidence: expect.stringContaining('was removed again') as string,
    });
    expect(await lab.leftovers()).toEqual([]);
  });

  it('sends no password to a host with another SSH key', async () => {
    await startOverSsh([makeHostKey().hostKey]);
    expect((await platform.check(signal)).steps[0]).toMatchObject({ outcome: 'failed', code: 'source.tls-refused' });
    expect(ssh?.attempts()).toBe(0);
  });
});
