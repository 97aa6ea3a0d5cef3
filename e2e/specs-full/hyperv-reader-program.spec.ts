import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentLink } from '../../electron/engine/transport/agent-link.ts';
import { AgentSession, sayHello } from '../../electron/engine/transport/agent-session.ts';
import { makeCertificate, type Certificate } from '../../electron/engine/transport/certificates.ts';
import { dialAgent } from '../../electron/engine/transport/https.ts';
import { pkcs12 } from '../../electron/engine/transport/pkcs12.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { closeAll } from '../rigs/closing.ts';
import { buildReader, runReader, type RunningReader } from '../rigs/windows-hypervisor/reader-program/build.ts';

const signal = new AbortController().signal;
const content = randomBytes(3 * 2 ** 20 + 4096);
const device = (path: string) => ({ path, serial: '', byPath: [], sizeBytes: content.length, inUse: false });

describe('the C# program that reads disks on Hyper-V hosts, under Mono', () => {
  let folder: string;
  let built: string;
  let running: RunningReader;
  let session: AgentSession;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-reader-program-'));
    await writeFile(join(folder, 'disk.vhdx'), content);
    built = await buildReader(folder);
    running = runReader(built);
    const control = new AgentLink(running.stream, {
      peer: 'the reader',
      checksumPayloads: true,
      pingAfterMs: 0,
      lostAfterMs: 60_000,
      stalledAfterMs: 60_000,
    });
    expect(await sayHello(control, undefined, signal)).toMatchObject({ version: 1, features: ['read', 'digest'] });
    session = new AgentSession({
      mechanism: 'SSH',
      control,
      data: [control],
      compression: 'never',
      codec: 'deflate',
      inFlightBytes: 2 ** 23,
      throttle: undefined,
      release: async () => undefined,
    });
  });
  afterAll(() =>
    closeAll(
      () => running?.kill(),
      () => rm(folder, { recursive: true, force: true }),
    ),
  );

  it('reads any range, many at a time, and hashes as this computer does', async () => {
    const volume = await session.open(device(join(folder, 'disk.vhdx')), signal);
    expect(volume.sizeBytes).toBe(content.length);
    const ranges = Array.from({ length: 60 }, (_, index) => ({
      offset: (index * 7919 * 53) % (content.length - 200_000),
      length: 1 + ((index * 4801) % 199_999),
    }));
    const wrong = await Promise.all(
      ranges.map(async ({ offset, length }) => {
        const into = Buffer.alloc(length, 0xee);
        await volume.read(offset, into, signal);
        return into.equals(content.subarray(offset, offset + length)) ? [] : [offset];
      }),
    );
    expect(wrong.flat()).toEqual([]);
    const digests = Buffer.from(await volume.digests(0, content.length, 65_536, signal));
    const expected = Array.from({ length: Math.ceil(content.length / 65_536) }, (_, block) =>
      createHash('sha256')
        .update(content.subarray(block * 65_536, (block + 1) * 65_536))
        .digest(),
    );
    expect(digests.equals(Buffer.concat(expected))).toBe(true);
    await volume.close();
  });

  it('opens nothing but virtual disks, says what is missing, and ends when it is asked to', async () => {
    await expect(session.open(device(join(folder, 'disk.txt')), signal)).rejects.toMatchObject({
      code: 'transport.device-refused',
      message: expect.stringContaining('not a virtual disk') as string,
    });
    await expect(session.open(device(join(folder, 'gone.vhdx')), signal)).rejects.toMatchObject({
      code: 'transport.device-refused',
    });
    await session.close();
    expect(await running.ended).toBe(0);
  });

  /** As the product starts it: a certificate for this one run, and one that the caller has to show. */
  const startTls = async (
    idleSeconds?: number,
  ): Promise<{
    readonly reader: RunningReader;
    readonly port: number;
    readonly server: Certificate;
    readonly client: Certificate;
  }> => {
    const [server, client] = await Promise.all([
      makeCertificate('causeway reader', undefined, 'server'),
      makeCertificate('causeway'),
    ]);
    const pfx = join(folder, 'reader.pfx');
    await writeFile(pfx, pkcs12(server, 'secret'));
    const reader = runReader(built, {
      tls: { pfx, password: 'secret', client: client.fingerprint },
      ...(idleSeconds === undefined ? {} : { idleSeconds }),
    });
    const [said] = (await once(reader.stream, 'data')) as [Buffer];
    return { reader, port: Number(said.toString().trim()), server, client };
  };
  const link = async ({ port, server, client }: Awaited<ReturnType<typeof startTls>>): Promise<AgentLink> =>
    new AgentLink(await dialAgent('127.0.0.1', port, server, client, true, signal), {
      peer: 'the reader',
      checksumPayloads: false,
      pingAfterMs: 0,
      lostAfterMs: 60_000,
      stalledAfterMs: 60_000,
    });

  it('answers over TLS on several connections of one session, lets nobody else in, and ends with the last of them', async () => {
    const started = await startTls();
    try {
      // Whoever connects and hangs up, or shows another certificate, changes nothing.
      connect(started.port, '127.0.0.1', function (this: Socket) {
        this.destroy();
      }).on('error', () => undefined);
      const stranger = { ...started, client: await makeCertificate('a stranger') };
      await expect(link(stranger).then((made) => sayHello(made, undefined, signal))).rejects.toBeInstanceOf(
        CausewayError,
      );
      const control = await link(started);
      const hello = await sayHello(control, undefined, signal);
      const data = [await link(started), await link(started)];
      for (const one of data) await sayHello(one, hello.session, signal);
      await expect(link(started).then((made) => sayHello(made, 'another session', signal))).rejects.toMatchObject({
        code: 'transport.request-refused',
      });
      const overTls = new AgentSession({
        mechanism: 'HTTPS',
        control,
        data,
        compression: 'never',
        codec: 'deflate',
        inFlightBytes: 2 ** 23,
        throttle: undefined,
        release: async () => undefined,
      });
      const volume = await overTls.open(device(join(folder, 'disk.vhdx')), signal);
      const into = Buffer.alloc(2 ** 20);
      await volume.read(4097, into, signal);
      expect(into.equals(content.subarray(4097, 4097 + into.length))).toBe(true);
      await volume.close();
      await overTls.close();
      expect(await started.reader.ended).toBe(0);
    } finally {
      started.reader.kill();
    }
  });

  it('ends when nobody comes, when nobody says anything any more, and when it is told to from outside', async () => {
    const [alone, silent, stopped, quiet] = [
      await startTls(1),
      await startTls(10),
      await startTls(),
      runReader(built, { idleSeconds: 1 }),
    ];
    try {
      await sayHello(await link(silent), undefined, signal);
      await sayHello(await link(stopped), undefined, signal);
      stopped.reader.stream.end();
      expect(await Promise.all([alone.reader.ended, silent.reader.ended, stopped.reader.ended, quiet.ended])).toEqual([
        0, 0, 0, 4,
      ]);
    } finally {
      for (const one of [alone.reader, silent.reader, stopped.reader, quiet]) one.kill();
    }
  });
});
