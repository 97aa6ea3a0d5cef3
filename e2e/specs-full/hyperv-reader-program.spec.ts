import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentLink } from '../../electron/engine/transport/agent-link.ts';
import { AgentSession, sayHello } from '../../electron/engine/transport/agent-session.ts';
import { buildReader, hasMono, runReader, type RunningReader } from '../rigs/windows-hypervisor/reader-program/build.ts';

const signal = new AbortController().signal;
const content = randomBytes(3 * 2 ** 20 + 4096);
const device = (path: string) => ({ path, serial: '', byPath: [], sizeBytes: content.length, inUse: false });

describe.skipIf(!hasMono())('the C# program that reads disks on Hyper-V hosts, under Mono', () => {
  let folder: string;
  let running: RunningReader;
  let session: AgentSession;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-reader-program-'));
    await writeFile(join(folder, 'disk.vhdx'), content);
    running = runReader(await buildReader(folder));
    const control = new AgentLink(running.stream, { peer: 'the reader', checksumPayloads: true, pingAfterMs: 0, lostAfterMs: 60_000, stalledAfterMs: 60_000 });
    expect(await sayHello(control, undefined, signal)).toMatchObject({ version: 1, features: ['read', 'digest'] });
    session = new AgentSession({ mechanism: 'SSH', control, data: [control], compression: 'never', inFlightBytes: 2 ** 23, throttle: undefined, release: async () => undefined });
  }, 120_000);
  afterAll(async () => {
    running?.kill();
    await rm(folder, { recursive: true, force: true });
  });

  it('reads any range, many at a time, and hashes as this computer does', async () => {
    const volume = await session.open(device(join(folder, 'disk.vhdx')), signal);
    expect(volume.sizeBytes).toBe(content.length);
    const ranges = Array.from({ length: 60 }, (_, index) => ({ offset: (index * 7919 * 53) % (content.length - 200_000), length: 1 + ((index * 4801) % 199_999) }));
    const wrong = await Promise.all(ranges.map(async ({ offset, length }) => {
      const into = Buffer.alloc(length, 0xee);
      await volume.read(offset, into, signal);
      return into.equals(content.subarray(offset, offset + length)) ? [] : [offset];
    }));
    expect(wrong.flat()).toEqual([]);
    const digests = Buffer.from(await volume.digests(0, content.length, 65_536, signal));
    const expected = Array.from({ length: Math.ceil(content.length / 65_536) }, (_, block) => createHash('sha256').update(content.subarray(block * 65_536, (block + 1) * 65_536)).digest());
    expect(digests.equals(Buffer.concat(expected))).toBe(true);
    await volume.close();
  });

  it('opens nothing but virtual disks, says what is missing, and ends when it is asked to', async () => {
    await expect(session.open(device(join(folder, 'disk.txt')), signal)).rejects.toMatchObject({ code: 'transport.device-refused', message: expect.stringContaining('not a virtual disk') as string });
    await expect(session.open(device(join(folder, 'gone.vhdx')), signal)).rejects.toMatchObject({ code: 'transport.device-refused' });
    await session.close();
    expect(await running.ended).toBe(0);
  });
});
