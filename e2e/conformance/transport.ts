import { execFileSync } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WorkerAccess } from '../../electron/engine/ports/destination-platform.ts';
import type { WorkerDevice } from '../../electron/engine/ports/disk-writer.ts';
import { agentLock } from '../../electron/engine/transport/agent-launch.ts';
import type { AgentSession } from '../../electron/engine/transport/agent-session.ts';
import type { ConnectWorkerOptions } from '../../electron/engine/transport/connect-options.ts';
import { connectWorker } from '../../electron/engine/transport/connect-worker.ts';
import { startCutProxy, type CutProxy } from '../rigs/cut-proxy.ts';
import { freePort, startSshd, type SshdRig } from '../rigs/sshd.ts';

const mebibyte = 1024 * 1024;
const diskBytes = 24 * mebibyte;
const never = new AbortController().signal;

/** What every way to the agent must do, against a real sshd, a real agent and real files. */
export function transportConformance(mechanism: 'HTTPS' | 'SSH'): void {
  describe(`the transport by ${mechanism}`, () => {
    let sshd: SshdRig;
    let ssh: CutProxy;
    let tls: CutProxy;
    let agentPort: number;
    let folder: string;
    let disk: string;
    let access: WorkerAccess;
    const sessions: AgentSession[] = [];

    beforeAll(async () => {
      sshd = await startSshd();
    });
    afterAll(() => sshd.stop());

    beforeEach(async () => {
      agentPort = await freePort();
      ssh = await startCutProxy(() => sshd.port);
      tls = await startCutProxy(() => agentPort);
      folder = await mkdtemp(join(tmpdir(), 'causeway-transport-'));
      disk = join(folder, 'disk');
      await writeFile(disk, randomBytes(diskBytes));
      access = {
        workerId: randomUUID(),
        host: '127.0.0.1',
        sshPort: ssh.port,
        httpsPort: tls.port,
        username: sshd.username,
        privateKeyPem: sshd.privateKeyPem,
        hostKey: sshd.hostKey,
        attached: [],
      };
    });
    afterEach(async () => {
      await Promise.all(sessions.splice(0).map((session) => session.close()));
      await Promise.all([ssh.stop(), tls.stop()]);
      const pid = await agentPid(access.workerId);
      if (pid !== undefined && isAlive(pid)) process.kill(pid, 'SIGKILL');
      await rm(folder, { recursive: true, force: true });
    });

    async function connected(options: ConnectWorkerOptions = {}): Promise<AgentSession> {
      const defaults = { allowPaths: [folder], agentPorts: [agentPort], deadlineMs: 10_000, loginGraceMs: 0 };
      const session = await connectWorker(access, mechanism, { ...defaults, ...options }, never);
      sessions.push(session);
      return session;
    }

    const cutLink = (how: 'cut' | 'blackhole'): void => {
      ssh[how]();
      tls[how]();
    };

    it('leaves exactly the bytes that were written and zeroed, with many requests in flight', async () => {
      const session = await connected({ connections: 3 });
      expect(session.dataLinks).toBe(mechanism === 'HTTPS' ? 3 : 1);
      const writer = await session.open(device(disk), never);
      const expected = await readFile(disk);
      const slots = Array.from({ length: 60 }, (_, index) => index * 400_000).filter((at) => at + 400_000 <= diskBytes);
      await Promise.all(
        slots.map(async (at, index) => {
          const length = 1 + ((index * 7919) % 400_000);
          const offset = at + ((index * 31) % (400_000 - length + 1));
          if (index % 5 === 4) {
            expected.fill(0, offset, offset + length);
            await writer.zero(offset, length, never);
          } else {
            const bytes = index % 2 === 0 ? randomBytes(length) : Buffer.alloc(length, `slot ${index} `);
            bytes.copy(expected, offset);
            await writer.write(offset, bytes, never);
          }
        }),
      );
      const large = randomBytes(3 * mebibyte + 17);
      large.copy(expected, diskBytes - large.length);
      expect(await writer.write(diskBytes - large.length, large, never)).toEqual({ bytesSent: large.length });
      await writer.flush(never);
      expect((await readFile(disk)).equals(expected)).toBe(true);
      expect(writer.sizeBytes).toBe(diskBytes);
    });

    it('answers with the SHA-256 of each block, the last one shorter', async () => {
      const session = await connected();
      const writer = await session.open(device(disk), never);
      const content = await readFile(disk);
      const [offset, length, blockBytes] = [4096, 5_000_001, 65_536];
      const expected = [];
      for (let at = 0; at < length; at += blockBytes) {
        const block = content.subarray(offset + at, offset + at + Math.min(blockBytes, length - at));
        expected.push(createHash('sha256').update(block).digest());
      }
      const found = await writer.digests(offset, length, blockBytes, never);
      expect(Buffer.from(found).equals(Buffer.concat(expected))).toBe(true);
      expect(await writer.digests(0, 0, blockBytes, never)).toHaveLength(0);
    });

    it('reads back what the volume holds, at any offset, many reads at once, and nothing beyond its end', async () => {
      const content = await readFile(disk);
      const volume = await (await connected()).open(device(disk), never);
      const ranges = [[0, 10], [4095, 3 * mebibyte + 17], [diskBytes - 5, 5], [7 * mebibyte, 9 * mebibyte]] as const;
      const read = await Promise.all(ranges.map(async ([offset, length]) => {
        const into = Buffer.alloc(length, 0xee);
        await volume.read(offset, into, never);
        return into.equals(content.subarray(offset, offset + length));
      }));
      expect(read).toEqual([true, true, true, true]);
      await expect(volume.read(diskBytes - 5, Buffer.alloc(6), never)).rejects.toMatchObject({ code: 'transport.out-of-range' });
      await volume.close();
    });

    it('writes the same bytes compressed, and says how few crossed the link', async () => {
      const session = await connected({ compression: 'always', checksumPayloads: true });
      const writer = await session.open(device(disk), never);
      const text = Buffer.from('a line that repeats itself\n'.repeat(100_000));
      const noise = randomBytes(500_000);
      const { bytesSent } = await writer.write(0, text, never);
      expect(bytesSent).toBeLessThan(text.length / 20);
      expect(await writer.write(text.length, noise, never)).toEqual({ bytesSent: noise.length });
      await writer.flush(never);
      const content = await readFile(disk);
      expect(content.subarray(0, text.length).equals(text)).toBe(true);
      expect(content.subarray(text.length, text.length + noise.length).equals(noise)).toBe(true);
    });

    it('refuses what does not fit into the volume, and writes nothing of it', async () => {
      const session = await connected();
      const writer = await session.open(device(disk), never);
      const before = await readFile(disk);
      const outOfRange = expect.objectContaining({ code: 'transport.out-of-range' });
      await expect(writer.write(diskBytes - 10, Buffer.alloc(11), never)).rejects.toEqual(outOfRange);
      await expect(writer.zero(diskBytes, 1, never)).rejects.toEqual(outOfRange);
      await expect(writer.digests(1, diskBytes, 4096, never)).rejects.toEqual(outOfRange);
      await truncate(disk, diskBytes);
      expect((await readFile(disk)).equals(before)).toBe(true);
    });

    it('opens nothing outside of what it may write to', async () => {
      const session = await connected();
      await symlink('/etc/hostname', join(folder, 'link'));
      const refused = expect.objectContaining({ code: 'transport.device-refused' });
      for (const path of ['/etc/hostname', '/dev/null', '/dev/no-such-device', join(folder, 'link'), `${folder}/../x`, folder]) {
        await expect(session.open(device(path), never), path).rejects.toEqual(refused);
      }
    });

    it('refuses the device that carries the root, and lists it as in use', async (context) => {
      const session = await connected();
      const devices = await session.devices(never);
      const used = devices.filter((entry) => entry.inUse);
      if (used.length === 0) return context.skip('the root of this machine is on no block device');
      for (const entry of used) {
        await expect(session.open(entry, never), entry.path).rejects.toMatchObject({ code: 'transport.device-in-use' });
      }
    });

    it('writes to a block device, and refuses it once something is mounted from it', async (context) => {
      if (process.getuid?.() !== 0) return context.skip('loop devices need root');
      const image = join(folder, 'volume-7.img');
      await writeFile(image, '');
      await truncate(image, 16 * mebibyte);
      const path = run('losetup', '--find', '--show', image);
      try {
        const session = await connected();
        const found = (await session.devices(never)).find((entry) => entry.path === path);
        expect(found).toEqual({ path, serial: 'volume-7', sizeBytes: 16 * mebibyte, inUse: false });
        const writer = await session.open(device(path), never);
        const bytes = randomBytes(mebibyte);
        await writer.write(mebibyte, bytes, never);
        await writer.write(4 * mebibyte, bytes, never);
        await writer.zero(mebibyte + 100, 600_000, never);
        await expect(session.open(device(path), never)).rejects.toMatchObject({ code: 'transport.device-in-use' });
        await writer.flush(never);
        const expected = Buffer.alloc(16 * mebibyte);
        bytes.copy(expected, mebibyte);
        bytes.copy(expected, 4 * mebibyte);
        expected.fill(0, mebibyte + 100, mebibyte + 600_100);
        expect((await readFile(path)).equals(expected)).toBe(true);
        await writer.close();
        run('mke2fs', '-q', '-F', path);
        run('mkdir', join(folder, 'mounted'));
        run('mount', path, join(folder, 'mounted'));
        try {
          await expect(session.open(device(path), never)).rejects.toMatchObject({ code: 'transport.device-in-use' });
          expect((await session.devices(never)).find((entry) => entry.path === path)?.inUse).toBe(true);
        } finally {
          run('umount', join(folder, 'mounted'));
        }
      } finally {
        run('losetup', '--detach', path);
      }
    });

    it('is lost when the agent is killed, and a new connection goes on', async () => {
      const session = await connected();
      const writer = await session.open(device(disk), never);
      const bytes = randomBytes(diskBytes);
      const writing = Promise.allSettled(
        Array.from({ length: 24 }, (_, index) => writer.write(index * mebibyte, bytes.subarray(index * mebibyte, (index + 1) * mebibyte), never)),
      );
      process.kill((await agentPid(access.workerId)) ?? 0, 'SIGKILL');
      await aborted(session.lost, 5000);
      expect(session.lost.reason).toMatchObject({ code: 'transport.lost' });
      for (const result of await writing) {
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'transport.lost' });
      }
      await expect(writer.flush(never)).rejects.toMatchObject({ code: 'transport.lost' });
      const again = await (await connected()).open(device(disk), never);
      await again.write(0, bytes, never);
      await again.flush(never);
      expect((await readFile(disk)).equals(bytes)).toBe(true);
    });

    it('is lost at once when the link is cut', async () => {
      const session = await connected();
      const writer = await session.open(device(disk), never);
      const waiting = expect(writeForever(writer)).rejects.toMatchObject({ code: 'transport.lost' });
      await delay(50);
      cutLink('cut');
      await aborted(session.lost, 2000);
      await waiting;
    });

    it('is lost within its deadline when the link goes silent', async () => {
      const session = await connected({ lostAfterMs: 1500 });
      const writer = await session.open(device(disk), never);
      const waiting = expect(writeForever(writer)).rejects.toMatchObject({ code: 'transport.lost' });
      await delay(50);
      cutLink('blackhole');
      const begun = performance.now();
      await aborted(session.lost, 6000);
      await waiting;
      expect(performance.now() - begun).toBeGreaterThan(300);
    });

    it('stays while nothing is asked for longer than the deadlines', async () => {
      const session = await connected({ lostAfterMs: 1000, idleMs: 30_000 });
      await delay(2500);
      expect(session.lost.aborted).toBe(false);
      expect(await session.devices(never)).toBeInstanceOf(Array);
    });

    it('ends the agent of a caller that went silent, before another one starts', async () => {
      const first = await connected({ lostAfterMs: 60_000 });
      await first.open(device(disk), never);
      const pid = await agentPid(access.workerId);
      expect(isAlive(pid ?? 0)).toBe(true);
      cutLink('blackhole');
      ssh = await startCutProxy(() => sshd.port);
      tls = await startCutProxy(() => agentPort);
      access = { ...access, sshPort: ssh.port, httpsPort: tls.port };
      const second = await connected();
      const writer = await second.open(device(disk), never);
      await writer.write(0, Buffer.from('mine'), never);
      await ended(pid ?? 0, 3000);
    });

    it('stops the agent when nobody speaks to it for a while', async () => {
      await connected({ idleMs: 700, lostAfterMs: 60_000 });
      const pid = (await agentPid(access.workerId)) ?? 0;
      expect(isAlive(pid)).toBe(true);
      const ownFolder = await folderOfAgent(pid);
      cutLink('blackhole');
      await ended(pid, 6000);
      expect(existsSync(ownFolder)).toBe(false);
    });

    it('leaves no process and no file on the worker after it was closed', async () => {
      const session = await connected();
      const pid = (await agentPid(access.workerId)) ?? 0;
      const ownFolder = await folderOfAgent(pid);
      expect(existsSync(ownFolder)).toBe(true);
      await session.close();
      await ended(pid, 3000);
      expect(existsSync(ownFolder)).toBe(false);
      expect(session.lost.reason).toMatchObject({ code: 'transport.closed' });
    });

    it('waits for the bandwidth limit before it sends', async () => {
      let allowed = 0;
      let open = (): void => undefined;
      const gate = new Promise<void>((resolve) => (open = resolve));
      const throttle = async (bytes: number): Promise<void> => {
        allowed += bytes;
        await gate;
      };
      const session = await connected({ throttle });
      const writer = await session.open(device(disk), never);
      const [before] = [ssh.forwarded + tls.forwarded, (allowed = 0)];
      const bytes = randomBytes(mebibyte);
      const writing = writer.write(0, bytes, never);
      await delay(100);
      expect(ssh.forwarded + tls.forwarded - before).toBeLessThan(10_000);
      open();
      await writing;
      expect(allowed).toBeGreaterThanOrEqual(bytes.length);
      expect(allowed).toBeLessThan(bytes.length * 1.01);
    });

    it('gives up a call that is cancelled, and goes on with the others', async () => {
      const session = await connected({ inFlightBytes: 2 * mebibyte });
      const writer = await session.open(device(disk), never);
      const cancel = new AbortController();
      const bytes = randomBytes(mebibyte);
      const cancelled = Array.from({ length: 12 }, (_, index) => writer.write(index * mebibyte, bytes, cancel.signal));
      const outcome = Promise.allSettled(cancelled);
      cancel.abort();
      expect((await outcome).filter((result) => result.status === 'rejected').length).toBeGreaterThan(0);
      await writer.write(5 * mebibyte, bytes, never);
      await writer.flush(never);
      expect((await readFile(disk)).subarray(5 * mebibyte, 6 * mebibyte).equals(bytes)).toBe(true);
    });

    it('keeps the memory of the agent bounded, whatever it is sent', async () => {
      const session = await connected({ compression: 'always' });
      const writer = await session.open(device(disk), never);
      const bytes = Buffer.alloc(mebibyte, 'compressible ');
      for (let round = 0; round < 8; round++) {
        await Promise.all(Array.from({ length: 24 }, (_, index) => writer.write(index * mebibyte, bytes, never)));
        await writer.digests(0, diskBytes, 4096, never);
      }
      const status = await readFile(`/proc/${(await agentPid(access.workerId)) ?? 0}/status`, 'utf8');
      expect(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1])).toBeLessThan(80 * 1024);
    });

    it('refuses another host key than the expected one before it says who it is', async () => {
      const other = await startSshd();
      try {
        access = { ...access, hostKey: other.hostKey };
        const logged = sshd.log().length;
        await expect(connected()).rejects.toMatchObject({ code: 'transport.host-key-mismatch' });
        expect(sshd.log().slice(logged)).not.toMatch(/Accepted|Failed|user \w+/);
        expect(tls.forwarded).toBe(0);
      } finally {
        await other.stop();
      }
    });
  });
}

function device(path: string): WorkerDevice {
  return { path, serial: '', sizeBytes: diskBytes, inUse: false };
}

async function writeForever(writer: Awaited<ReturnType<AgentSession['open']>>): Promise<never> {
  const bytes = randomBytes(mebibyte);
  for (let turn = 0; ; turn++) {
    await Promise.all([0, 1, 2, 3].map((lane) => writer.write(((turn + lane) % 20) * mebibyte, bytes, never)));
  }
}

async function agentPid(workerId: string): Promise<number | undefined> {
  for (const place of ['/run', tmpdir()]) {
    const text = await readFile(join(place, `causeway-agent-${agentLock(workerId)}.lock`), 'utf8').catch(() => '');
    if (text !== '') return Number(text);
  }
  return undefined;
}

/** Where the agent of a process was put. */
async function folderOfAgent(pid: number): Promise<string> {
  const commandLine = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
  return dirname(commandLine.find((word) => word.endsWith('causeway_agent.py')) ?? '/');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function ended(pid: number, withinMs: number): Promise<void> {
  for (const end = performance.now() + withinMs; performance.now() < end; await delay(20)) if (!isAlive(pid)) return;
  expect.unreachable(`process ${pid} still lives after ${withinMs} ms`);
}

function aborted(signal: AbortSignal, withinMs: number): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not lost within ${withinMs} ms`)), withinMs);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function run(command: string, ...parameters: string[]): string {
  return execFileSync(command, parameters, { encoding: 'utf8' }).trim();
}
