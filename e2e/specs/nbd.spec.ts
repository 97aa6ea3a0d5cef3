// needs: nbdkit, libnbd-bin
import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NbdTls } from '../../electron/engine/nbd/address.ts';
import { NbdClient } from '../../electron/engine/nbd/nbd-client.ts';
import { NbdDiskReader } from '../../electron/engine/nbd/nbd-disk-reader.ts';
import { makeCredentials, run, startServer, type Served } from '../conformance/nbd-servers.ts';
import { closeAll } from '../rigs/closing.ts';
import { firstDifference, readOnto } from '../conformance/read-snapshot.ts';

const MIB = 1024 * 1024;
const signal = new AbortController().signal;

describe('NBD against the servers of others', () => {
  let folder = '';
  const servers: Served[] = [];
  const start = async (tool: 'nbdkit' | 'qemu-nbd', args: (socket: string) => readonly string[]) => {
    const served = await startServer(folder, tool, args);
    servers.push(served);
    return { kind: 'unix', path: served.socket } as const;
  };
  const content = Buffer.concat([randomBytes(3 * MIB), Buffer.alloc(4 * MIB), randomBytes(2 * MIB), Buffer.alloc(MIB)]);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cwy-nbd-'));
    await writeFile(join(folder, 'dense.raw'), content);
    await run('qemu-img', [
      'convert',
      '-f',
      'raw',
      '-O',
      'qcow2',
      join(folder, 'dense.raw'),
      join(folder, 'sparse.qcow2'),
    ]);
    await makeCredentials(folder);
  });
  afterAll(() =>
    closeAll(...servers.map((each) => () => each.stop()), () => rm(folder, { recursive: true, force: true })),
  );

  it('reads a sparse image from qemu-nbd, holes told as zeros as nbdinfo sees them', async () => {
    const address = await start('qemu-nbd', (socket) => [
      '-r',
      '-t',
      '-e',
      '4',
      '-f',
      'qcow2',
      '-k',
      socket,
      join(folder, 'sparse.qcow2'),
    ]);
    const client = await NbdClient.connect({ address, exportName: '', contexts: ['base:allocation'] }, signal);
    expect(client.info).toMatchObject({ sizeBytes: content.length, readOnly: true, structuredReplies: true });
    const result = await readOnto(new NbdDiskReader(client), undefined, signal);
    expect(firstDifference(result.replica, content)).toBeUndefined();
    const { stdout } = await run('nbdinfo', ['--map', '--json', `nbd+unix:///?socket=${address.path}`]);
    const peers = JSON.parse(stdout) as { offset: number; length: number; type: number }[];
    const zeros = (list: readonly { offset: number; length: number }[]) =>
      list.map(({ offset, length }) => [offset, length]);
    expect(zeros(result.extents.filter((extent) => extent.kind === 'zero'))).toEqual(
      zeros(peers.filter((extent) => (extent.type & 2) !== 0)),
    );
    await client.close();
  });

  it('merges a persistent dirty bitmap with the allocation', async () => {
    const image = join(folder, 'tracked.qcow2');
    await run('qemu-img', ['create', '-q', '-f', 'qcow2', image, '8M']);
    await run('qemu-io', ['-f', 'qcow2', '-c', 'write -P 1 1M 2M', image]);
    await run('qemu-img', ['bitmap', '--add', '-g', '64k', image, 'since']);
    await run('qemu-io', [
      '-f',
      'qcow2',
      '-c',
      'write -P 2 2M 64k',
      '-c',
      'write -z 1M 128k',
      '-c',
      'write -P 3 7M 64k',
      image,
    ]);
    await run('qemu-img', ['bitmap', '--disable', image, 'since']);
    const address = await start('qemu-nbd', (socket) => [
      '-r',
      '-t',
      '-f',
      'qcow2',
      '-B',
      'since',
      '-k',
      socket,
      image,
    ]);
    const dirtyContext = 'qemu:dirty-bitmap:since';
    const client = await NbdClient.connect(
      { address, exportName: '', contexts: ['base:allocation', dirtyContext] },
      signal,
    );
    const reader = new NbdDiskReader(client, { dirtyContext, granularityBytes: 65_536 });
    expect(reader.coverage).toBe('changed');
    const { extents } = await readOnto(reader, Buffer.alloc(8 * MIB), signal);
    expect(extents).toEqual([
      { offset: MIB, length: 128 * 1024, kind: 'zero' },
      { offset: 2 * MIB, length: 64 * 1024, kind: 'data' },
      { offset: 7 * MIB, length: 64 * 1024, kind: 'data' },
    ]);
    await reader.close();
  });

  it('writes, zeroes, trims and flushes, and the server’s file says so', async () => {
    const file = join(folder, 'written.raw');
    await writeFile(file, randomBytes(4 * MIB));
    const address = await start('qemu-nbd', (socket) => ['-t', '-f', 'raw', '--discard=unmap', '-k', socket, file]);
    const client = await NbdClient.connect({ address, exportName: '' }, signal);
    const bytes = randomBytes(MIB);
    await client.write(512, bytes, signal);
    await client.writeZeroes(2 * MIB, MIB, signal);
    await client.trim(3 * MIB, 65_536, signal);
    await client.flush(signal);
    await client.close();
    const written = await readFile(file);
    expect(written.subarray(512, 512 + MIB).equals(bytes)).toBe(true);
    expect(written.subarray(2 * MIB, 3 * MIB).every((byte) => byte === 0)).toBe(true);
  });

  it('lists exports, and names the one that is missing', async () => {
    const address = await start('qemu-nbd', (socket) => [
      '-r',
      '-t',
      '-f',
      'raw',
      '-x',
      'web-01/disk',
      '-k',
      socket,
      join(folder, 'dense.raw'),
    ]);
    expect(await NbdClient.listExports({ address }, signal)).toEqual(['web-01/disk']);
    await expect(NbdClient.connect({ address, exportName: 'other' }, signal)).rejects.toMatchObject({
      code: 'source.disk-not-found',
    });
  });

  it('reads from nbdkit with simple replies, with block size limits and with errors', async () => {
    const file = join(folder, 'dense.raw');
    const simple = await start('nbdkit', (socket) => ['-f', '--no-sr', '-r', '-U', socket, 'file', file]);
    const limited = await start('nbdkit', (socket) => [
      '-f',
      '-r',
      '-U',
      socket,
      '--filter=blocksize-policy',
      'file',
      file,
      'blocksize-minimum=4096',
      'blocksize-preferred=64K',
      'blocksize-maximum=128K',
      'blocksize-error-policy=error',
    ]);
    for (const address of [simple, limited]) {
      const client = await NbdClient.connect({ address, exportName: '', contexts: ['base:allocation'] }, signal);
      const reader = new NbdDiskReader(client);
      expect(firstDifference((await readOnto(reader, undefined, signal)).replica, content)).toBeUndefined();
      const odd = Buffer.alloc(300_001);
      await reader.read(12_345, odd, signal);
      expect(odd.equals(content.subarray(12_345, 312_346))).toBe(true);
      await reader.close();
    }
    const failing = await start('nbdkit', (socket) => [
      '-f',
      '-r',
      '-U',
      socket,
      '--filter=error',
      'file',
      file,
      'error=EIO',
      'error-pread-rate=100%',
    ]);
    const client = await NbdClient.connect({ address: failing, exportName: '' }, signal);
    await expect(client.read(0, new Uint8Array(512), signal)).rejects.toMatchObject({ code: 'source.read-failed' });
    await client.close();
  });

  it('speaks TLS with a CA, a pin and a client certificate, and with nobody else', async () => {
    const pem = (name: string) => readFile(join(folder, `${name}.pem`), 'utf8');
    const [caPem, certificate, clientCertificatePem, clientKeyPem] = await Promise.all([
      pem('ca-cert'),
      pem('server-cert'),
      pem('client-cert'),
      pem('client-key'),
    ]);
    const pinnedSha256 = createHash('sha256').update(new X509Certificate(certificate).raw).digest('hex');
    const mutual = await start('nbdkit', (socket) => [
      '-f',
      '-r',
      '-U',
      socket,
      '--tls=require',
      `--tls-certificates=${folder}`,
      '--tls-verify-peer',
      'file',
      join(folder, 'dense.raw'),
    ]);
    const qemu = await start('qemu-nbd', (socket) => [
      '-r',
      '-t',
      '-f',
      'raw',
      '-k',
      socket,
      '--object',
      `tls-creds-x509,id=t,dir=${folder},endpoint=server,verify-peer=on`,
      '--tls-creds',
      't',
      join(folder, 'dense.raw'),
    ]);
    const client = { clientCertificatePem, clientKeyPem };
    const good: readonly NbdTls[] = [
      { caPem, serverName: 'localhost', ...client },
      { pinnedSha256, ...client },
    ];
    const bad: readonly NbdTls[] = [
      { caPem, serverName: 'elsewhere.example', ...client },
      { serverName: 'localhost', ...client },
      { pinnedSha256: pinnedSha256.replace(/^../, pinnedSha256.startsWith('00') ? '01' : '00'), ...client },
      { caPem, ...client },
    ];
    for (const address of [mutual, qemu]) {
      for (const tls of good) {
        const connected = await NbdClient.connect(
          { address, exportName: '', contexts: ['base:allocation'], tls },
          signal,
        );
        expect(
          firstDifference((await readOnto(new NbdDiskReader(connected), undefined, signal)).replica, content),
        ).toBeUndefined();
        await connected.close();
      }
      for (const tls of bad)
        await expect(NbdClient.connect({ address, exportName: '', tls }, signal)).rejects.toMatchObject({
          code: 'source.tls-refused',
        });
      await expect(NbdClient.connect({ address, exportName: '' }, signal)).rejects.toMatchObject({
        code: 'source.tls-refused',
      });
      const anonymous = NbdClient.connect(
        { address, exportName: '', tls: { caPem, serverName: 'localhost' }, handshakeTimeoutMs: 60_000 },
        signal,
      );
      await expect(anonymous).rejects.toMatchObject({
        code: expect.stringMatching(/^source\.(tls-refused|connection-lost)$/),
      });
    }
  });
});
