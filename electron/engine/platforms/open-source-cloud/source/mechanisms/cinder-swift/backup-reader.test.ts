import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ObjectStore } from '../../../client/object-store.ts';
import type { CloudBackup } from '../../../client/volume.ts';
import type { OpenStackCloud } from '../../../client/open-cloud.ts';
import { findChain } from './backup-chain.ts';
import { findDigests } from './backup-layout.ts';
import { BackupReader } from './backup-reader.ts';

const signal = new AbortController().signal;
const block = 32_768;
const size = 8 * block;

/** An object store in memory, and backups as the cloud lays them out in it. */
function account() {
  const objects = new Map<string, Buffer>();
  const reads: string[] = [];
  const backups = new Map<string, Partial<CloudBackup>>();
  const objectStore = {
    objects: async (container: string, prefix: string) =>
      [...objects]
        .filter(([name]) => name.startsWith(`${container}/${prefix}`))
        .map(([name, bytes]) => ({ name: name.slice(container.length + 1), bytes: bytes.length, hash: undefined })),
    read: async (container: string, name: string) => {
      reads.push(name);
      return objects.get(`${container}/${name}`);
    },
    readRange: async (container: string, name: string, offset: number, length: number) =>
      (objects.get(`${container}/${name}`) ?? Buffer.alloc(0)).subarray(offset, offset + length),
  } as unknown as ObjectStore;
  const cloud = {
    objectStore,
    volume: { backups: { get: async (id: string) => backups.get(id) } },
  } as unknown as OpenStackCloud;
  return {
    cloud,
    objects,
    reads,
    /** @param ranges what the backup holds, in bytes */
    add(
      id: string,
      parentId: string | null,
      volume: Buffer,
      ranges: readonly (readonly [number, number])[],
      container = 'volumebackups',
    ) {
      const prefix = `volume_v/20261101/az_nova_backup_${id}`;
      const entries = ranges.map(([offset, length], index) => {
        const bytes = volume.subarray(offset, offset + length);
        const name = `${prefix}-${String(index + 1).padStart(5, '0')}`;
        objects.set(`${container}/${name}`, deflateSync(bytes));
        return { [name]: { offset, length, compression: 'zlib', md5: createHash('md5').update(bytes).digest('hex') } };
      });
      objects.set(
        `${container}/${prefix}_metadata`,
        Buffer.from(
          JSON.stringify({ version: '1.0.0', backup_id: id, volume_id: 'v', objects: entries, parent_id: parentId }),
        ),
      );
      const digests = Array.from({ length: volume.length / block }, (_, index) =>
        createHash('sha256')
          .update(volume.subarray(index * block, (index + 1) * block))
          .digest('hex'),
      );
      objects.set(
        `${container}/${prefix}_sha256file`,
        Buffer.from(
          JSON.stringify({ backup_id: id, chunk_size: block, sha256s: digests, version: '1.0.0', volume_id: 'v' }),
        ),
      );
      backups.set(id, { id, volume_id: 'v', container, status: 'available' });
    },
  };
}

async function open(store: ReturnType<typeof account>, id: string, baseId?: string): Promise<BackupReader> {
  const chain = await findChain(store.cloud, id, signal);
  const base = baseId === undefined ? undefined : await findChain(store.cloud, baseId, signal);
  if (chain?.[0] === undefined) throw new Error('no chain');
  const digests = await findDigests(store.cloud.objectStore, chain[0], signal);
  return new BackupReader(
    store.cloud.objectStore,
    chain,
    size,
    digests,
    base?.[0] === undefined ? undefined : await findDigests(store.cloud.objectStore, base[0], signal),
  );
}

async function applied(reader: BackupReader, former: Buffer): Promise<Buffer> {
  const result = Buffer.from(former);
  for await (const { offset, length, kind } of reader.extents(signal)) {
    if (kind === 'zero') result.fill(0, offset, offset + length);
    else await reader.read(offset, result.subarray(offset, offset + length), signal);
  }
  return result;
}

const first = Buffer.concat([Buffer.alloc(block, 1), Buffer.alloc(2 * block), Buffer.alloc(5 * block, 7)]);
const second = Buffer.from(first).fill(2, block, 2 * block);
const third = Buffer.from(second)
  .fill(3, 6 * block, 7 * block)
  .fill(0, 0, block);

describe('reading a volume from backups in the object store', () => {
  it('gives the whole volume from a full backup, without fetching what is zero', async () => {
    const store = account();
    store.add('full', null, first, [
      [0, block],
      [block, 2 * block],
      [3 * block, 5 * block],
    ]);
    const reader = await open(store, 'full');
    expect(reader.coverage).toBe('allocated');
    expect((await applied(reader, Buffer.alloc(size, 0xee))).equals(first)).toBe(true);
    expect(store.reads.filter((name) => /-\d{5}$/.test(name))).toHaveLength(2);
  });

  it('gives what changed since the base although somebody else made a backup in between', async () => {
    const store = account();
    store.add('ours-1', null, first, [
      [0, 4 * block],
      [4 * block, 4 * block],
    ]);
    store.add('foreign', 'ours-1', second, [[block, block]], 'elsewhere');
    // The third one counts from the foreign one: what the second changed is not in it.
    store.add('ours-2', 'foreign', third, [
      [0, block],
      [6 * block, block],
    ]);
    const reader = await open(store, 'ours-2', 'ours-1');
    expect(reader.coverage).toBe('changed');
    expect((await applied(reader, first)).equals(third)).toBe(true);
    expect((await applied(await open(store, 'ours-2'), Buffer.alloc(size, 0xee))).equals(third)).toBe(true);
  });

  it('knows no chain when a backup that others stand on is kept elsewhere', async () => {
    const store = account();
    store.add('full', null, first, [[0, size]]);
    store.add('next', 'full', second, [[block, block]]);
    for (const name of [...store.objects.keys()]) if (name.includes('backup_full')) store.objects.delete(name);
    expect(await findChain(store.cloud, 'next', signal)).toBeUndefined();
  });

  it('refuses a damaged object instead of handing its bytes on', async () => {
    const store = account();
    store.add('full', null, first, [[0, size]]);
    const name = [...store.objects.keys()].find((each) => each.endsWith('-00001')) ?? '';
    store.objects.set(name, deflateSync(second));
    const reader = await open(store, 'full');
    await expect(reader.read(0, Buffer.alloc(10), signal)).rejects.toMatchObject({ code: 'source.backup-unreadable' });
  });

  it('fetches an object once for readers that come at the same time', async () => {
    const store = account();
    store.add('full', null, first, [[0, size]]);
    const reader = await open(store, 'full');
    await Promise.all([0, 1, 2, 3].map((index) => reader.read(index * block, Buffer.alloc(block), signal)));
    expect(store.reads.filter((each) => /-\d{5}$/.test(each))).toHaveLength(1);
  });
});
