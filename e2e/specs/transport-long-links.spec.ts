// needs: python3
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentSession } from '../../electron/engine/transport/agent-session.ts';
import type { ConnectWorkerOptions } from '../../electron/engine/transport/connect-options.ts';
import { connectWorker } from '../../electron/engine/transport/connect-worker.ts';
import { device, diskBytes, mebibyte, never } from '../conformance/transport-lab.ts';
import { closeAll } from '../rigs/closing.ts';
import { processesNaming } from '../rigs/processes-naming.ts';
import { freePort, startSshd, type SshdRig } from '../rigs/sshd.ts';
import { startWanLink, type LinkShape } from '../rigs/wan-link.ts';

/** Several connections carry a disk: on a long way by themselves, elsewhere where it is asked for. */
describe('a transport over several connections', () => {
  let folder: string;
  let disk: string;
  const stops: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-links-'));
    disk = join(folder, 'disk');
    await writeFile(disk, Buffer.alloc(diskBytes));
  });
  afterEach(() => closeAll(...stops.splice(0).toReversed(), () => rm(folder, { recursive: true, force: true })));

  async function server(extraConfig = ''): Promise<SshdRig> {
    const sshd = await startSshd({ extraConfig });
    stops.push(() => sshd.stop());
    return sshd;
  }

  async function connected(
    mechanism: 'HTTPS' | 'SSH',
    sshd: SshdRig,
    options: ConnectWorkerOptions,
    shape?: LinkShape,
  ): Promise<AgentSession> {
    const agentPort = await freePort();
    const through = async (port: number): Promise<number> => {
      if (shape === undefined) return port;
      const link = await startWanLink(port, shape);
      stops.push(() => link.stop());
      return link.port;
    };
    const access = {
      workerId: randomUUID(),
      host: '127.0.0.1',
      sshPort: await through(sshd.port),
      httpsPort: await through(agentPort),
      username: sshd.username,
      privateKeyPem: sshd.privateKeyPem,
      hostKey: sshd.hostKey,
    };
    const session = await connectWorker(
      access,
      mechanism,
      {
        allowPaths: [folder],
        agentPorts: [agentPort],
        hostKeys: { get: () => sshd.hostKey, remember: () => undefined },
        ...options,
      },
      never,
    );
    stops.push(() => session.close());
    return session;
  }

  /** What is said on the command line of this test's agent, which names the test's folder. */
  async function ofAgent(what: RegExp): Promise<string> {
    const lines = (await processesNaming(folder)).map(({ line }) => line);
    return what.exec(lines.find((line) => line.includes('causeway_agent.py')) ?? '')?.[0] ?? 'nothing';
  }

  /** Noise and text in turns, in pieces of any size, many at once. */
  async function fill(session: AgentSession): Promise<void> {
    const writer = await session.open(device(disk), never);
    const content = randomBytes(diskBytes);
    for (let at = 0; at < diskBytes; at += 2 * mebibyte)
      content.fill('some text that gets shorter ', at, at + mebibyte);
    const shared = Buffer.from(new SharedArrayBuffer(diskBytes));
    content.copy(shared);
    const sizes = [1, 3, 7].map((count) => count * 300_000);
    const writes: Promise<unknown>[] = [];
    for (let at = 0, turn = 0; at < diskBytes; turn++) {
      const length = Math.min(sizes[turn % sizes.length] ?? 1, diskBytes - at);
      writes.push(writer.write(at, (turn % 2 === 0 ? shared : content).subarray(at, at + length), never));
      at += length;
    }
    await Promise.all(writes);
    await writer.flush(never);
    expect((await readFile(disk)).equals(content)).toBe(true);
  }

  it.each([
    ['HTTPS', 3],
    ['SSH', 5],
  ] as const)('carries what is written by %s over %i of them, and leaves nothing behind', async (mechanism, links) => {
    const session = await connected(mechanism, await server(), { connections: 3, compression: 'always' });
    expect(session.dataLinks).toBe(links);
    const place = await ofAgent(/\S+causeway-\w+(?=\/causeway_agent)/);
    await fill(session);
    await session.close();
    await expect.poll(() => processesNaming(place)).toEqual([]);
    await expect(readFile(join(place, 'causeway_agent.py'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('has as many over SSH as the server allows', async () => {
    const session = await connected('SSH', await server('MaxSessions 1'), { connections: 3 });
    expect(session.dataLinks).toBe(2);
    await fill(session);
  });

  it('has them over SSH where the folder for temporary files is longer than the path of a socket', async () => {
    const long = join(folder, 'f'.repeat(120));
    await mkdir(long);
    const session = await connected('SSH', await server(`SetEnv TMPDIR=${long}`), { connections: 3 });
    expect(session.dataLinks).toBe(5);
    await fill(session);
  });

  it('is lost with any of them', async () => {
    const session = await connected('SSH', await server(), { connections: 2 });
    expect(session.dataLinks).toBe(3);
    const lost = once(session.lost, 'abort');
    const joiners = await processesNaming(`--join ${await ofAgent(/(?<=--share )\S+/)}`);
    expect(joiners).toHaveLength(3);
    process.kill(joiners[0]!.pid, 'SIGKILL');
    await lost;
    expect(session.lost.reason).toMatchObject({ code: 'transport.lost' });
  });

  it.each(['HTTPS', 'SSH'] as const)(
    'chooses several by %s on a long way that loses packets, and fills it',
    async (mechanism) => {
      const session = await connected(
        mechanism,
        await server(),
        {},
        { roundTripMs: 40, megabitsPerSecond: 800, lateShare: 0.02 },
      );
      expect(session.dataLinks).toBe(mechanism === 'HTTPS' ? 4 : 7);
      await fill(session);
    },
  );
});
