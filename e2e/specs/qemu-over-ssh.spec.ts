import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createQemuHypervisorSource } from '../../electron/engine/platforms/qemu-hypervisor/index.ts';
import type { SourcePlatform } from '../../electron/engine/ports/source-platform.ts';
import { qemuHarness, type QemuHarness } from '../conformance/qemu-harness.ts';
import { leftovers, readDisk, takeSnapshot, vmStatus } from '../conformance/qemu-state.ts';
import { firstDifference } from '../conformance/read-snapshot.ts';
import { closeAll } from '../rigs/closing.ts';
import { startCutProxy } from '../rigs/cut-proxy.ts';
import { startSshd, type SshdRig } from '../rigs/sshd.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const signal = new AbortController().signal;

/** A real QEMU and a real OpenSSH server on this machine; every socket is only reached through the server. */
describe('QEMU over SSH', () => {
  let harness: QemuHarness;
  let sshd: SshdRig;
  let elsewhere: string;
  const open: SourcePlatform[] = [];
  beforeAll(async () => {
    [harness, sshd] = await Promise.all([qemuHarness(), startSshd()]);
    elsewhere = join(harness.folder, 'ours-over-ssh');
    await mkdir(elsewhere);
  });
  afterAll(() =>
    closeAll(
      ...open.map((each) => () => each.close()),
      () => harness.close(),
      () => sshd.stop(),
    ),
  );
  const sourceOver = (server: SshdRig, hostKeys = [server.hostKey]) => {
    const source = createQemuHypervisorSource(
      {
        qmp_sockets: { 'web-01': join(harness.folder, 'source.qmp') },
        scratch_folder: harness.scratchFolder,
        ssh_host: '127.0.0.1',
        ssh_port: server.port,
        ssh_username: server.username,
        ssh_private_key: server.privateKeyPem,
        ssh_host_keys: hostKeys.map((key) => key.split(' ').slice(0, 2).join(' ')),
      },
      { scratchFolder: elsewhere },
      'job',
    );
    open.push(source);
    return source;
  };

  it('checks the endpoint, lists the VM, and reads a snapshot and the changes after it', async () => {
    const source = sourceOver(sshd);
    const report = await source.check(signal);
    expect(report).toMatchObject({
      passed: true,
      steps: [
        { name: 'SSH', evidence: expect.stringContaining('SHA256:') as string },
        { name: 'VMs' },
        { name: 'web-01' },
      ],
    });
    expect(await source.listVms(signal)).toMatchObject([{ id: 'web-01', diskCount: 2, power: 'running' }]);
    await harness.write(0, MIB, 256 * KIB, 0x41);
    const first = await takeSnapshot(harness, 'first', undefined, source);
    const before = await harness.content(0);
    await harness.write(0, MIB, 64 * KIB, 0x42);
    const whole = await readDisk(source, first, 'system');
    expect(firstDifference(whole.replica, before)).toBeUndefined();
    await source.promoteToBase(first, undefined, signal);
    const second = await takeSnapshot(harness, 'second', first, source);
    const changed = await readDisk(source, second, 'system', first, whole.replica);
    expect([changed.coverage, changed.dataBytes]).toEqual(['changed', 64 * KIB]);
    expect(firstDifference(changed.replica, await harness.content(0))).toBeUndefined();
    await source.promoteToBase(second, first, signal);
    // The overlays are removed on the host as well.
    expect(await leftovers(harness)).toEqual({ inQemu: [], files: [] });
  });

  it('takes a lost connection neither for a lost snapshot nor for a VM that is off, and reads on over a new one', async () => {
    const proxy = await startCutProxy(() => sshd.port);
    try {
      const source = sourceOver({ ...sshd, port: proxy.port });
      await harness.write(1, 0, MIB, 0x51);
      const taken = await takeSnapshot(harness, 'kept', undefined, source);
      const reader = await source.openDisk(taken, 'data', undefined, signal);
      const read = () => reader.read(0, new Uint8Array(64 * KIB), signal);
      await read();
      proxy.cut();
      await expect(read()).rejects.toMatchObject({ code: 'source.ssh-unreachable', retryable: true });
      await reader.close();
      await source.assertUnchanged(taken, signal);
      expect(
        firstDifference((await readDisk(source, taken, 'data')).replica, await harness.content(1)),
      ).toBeUndefined();
      await source.discardSnapshot(taken, undefined, signal);
      expect(await vmStatus(harness)).toBe('running');
      expect(await leftovers(harness)).toEqual({ inQemu: [], files: [] });
    } finally {
      await proxy.stop();
    }
  });

  it('sends nothing to a host with another key, and names what the server does not forward', async () => {
    const strange = sourceOver(sshd, [
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    ]);
    expect(await strange.check(signal)).toMatchObject({
      passed: false,
      steps: [{ name: 'SSH', code: 'source.ssh-host-key-mismatch' }],
    });
    expect((await strange.check(signal)).steps).toHaveLength(1);
    const closed = await startSshd({ extraConfig: 'AllowStreamLocalForwarding no' });
    try {
      const source = sourceOver(closed);
      const { steps } = await source.check(signal);
      expect(steps.at(-1)).toMatchObject({
        name: 'web-01',
        outcome: 'failed',
        evidence: expect.stringContaining('AllowStreamLocalForwarding') as string,
      });
      await source.close();
    } finally {
      await closed.stop();
    }
  });
});
