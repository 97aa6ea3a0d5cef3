import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startSshd } from '../rigs/sshd.ts';
import {
  aborted,
  device,
  diskBytes,
  ended,
  folderOfAgent,
  isAlive,
  mebibyte,
  never,
  patienceMs,
  writeForever,
  type TransportLab,
} from './transport-lab.ts';

/** How a transport begins, is lost, and ends. */
export function transportLife(lab: TransportLab): void {
  it('refuses another host key than the expected one before it says who it is', async () => {
    const other = await startSshd();
    try {
      lab.access = { ...lab.access, hostKey: other.hostKey };
      const logged = lab.sshd.log().length;
      await expect(lab.connected()).rejects.toMatchObject({ code: 'transport.host-key-mismatch' });
      expect(lab.sshd.log().slice(logged)).not.toMatch(/Accepted|Failed|user \w+/);
      expect(lab.tls.forwarded).toBe(0);
    } finally {
      await other.stop();
    }
  });

  it('is lost when the agent is killed, and a new connection goes on', async () => {
    const session = await lab.connected();
    const writer = await session.open(device(lab.disk), never);
    const bytes = randomBytes(diskBytes);
    const writing = Promise.allSettled(
      Array.from({ length: 24 }, (_, index) =>
        writer.write(index * mebibyte, bytes.subarray(index * mebibyte, (index + 1) * mebibyte), never),
      ),
    );
    process.kill((await lab.agentPid()) ?? 0, 'SIGKILL');
    await aborted(session.lost);
    expect(session.lost.reason).toMatchObject({ code: 'transport.lost' });
    for (const result of await writing) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'transport.lost' });
    }
    await expect(writer.flush(never)).rejects.toMatchObject({ code: 'transport.lost' });
    const again = await (await lab.connected()).open(device(lab.disk), never);
    await again.write(0, bytes, never);
    await again.flush(never);
    expect((await readFile(lab.disk)).equals(bytes)).toBe(true);
  });

  it('is lost at once when the link is cut', async () => {
    // So late that it is not silence by which the link is found to be lost.
    const session = await lab.connected({ lostAfterMs: 10 * patienceMs });
    const writer = await session.open(device(lab.disk), never);
    const waiting = expect(writeForever(writer)).rejects.toMatchObject({ code: 'transport.lost' });
    await delay(50);
    lab.cutLink('cut');
    await aborted(session.lost);
    await waiting;
  });

  it('is lost within its deadline when the link goes silent', async () => {
    const session = await lab.connected({ lostAfterMs: 1500 });
    const writer = await session.open(device(lab.disk), never);
    const waiting = expect(writeForever(writer)).rejects.toMatchObject({ code: 'transport.lost' });
    await delay(50);
    lab.cutLink('blackhole');
    await aborted(session.lost);
    await waiting;
  });

  it('stays while nothing is asked for longer than the deadlines', async () => {
    const session = await lab.connected({ lostAfterMs: 2500, idleMs: 30_000 });
    await delay(6000);
    expect(session.lost.aborted).toBe(false);
    expect(await session.devices(never)).toBeInstanceOf(Array);
  });

  it('ends the agent of a caller that went silent, before another one starts', async () => {
    const first = await lab.connected({ lostAfterMs: 60_000 });
    await first.open(device(lab.disk), never);
    const pid = await lab.agentPid();
    expect(isAlive(pid ?? 0)).toBe(true);
    lab.cutLink('blackhole');
    await lab.renewLinks();
    const second = await lab.connected();
    const writer = await second.open(device(lab.disk), never);
    await writer.write(0, Buffer.from('mine'), never);
    await ended(pid ?? 0);
  });

  it('stops the agent when nobody speaks to it for a while', async () => {
    await lab.connected({ idleMs: 2500, lostAfterMs: 60_000 });
    const pid = (await lab.agentPid()) ?? 0;
    expect(isAlive(pid)).toBe(true);
    const ownFolder = await folderOfAgent(pid);
    lab.cutLink('blackhole');
    await ended(pid);
    expect(existsSync(ownFolder)).toBe(false);
  });

  it('leaves no process and no file on the worker after it was closed', async () => {
    const session = await lab.connected();
    const pid = (await lab.agentPid()) ?? 0;
    const ownFolder = await folderOfAgent(pid);
    expect(existsSync(ownFolder)).toBe(true);
    await session.close();
    await ended(pid);
    expect(existsSync(ownFolder)).toBe(false);
    expect(session.lost.reason).toMatchObject({ code: 'transport.closed' });
  });
}
