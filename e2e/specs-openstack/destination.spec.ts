import { randomBytes } from 'node:crypto';
import { mkdir, open, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOpenSourceLab, type OpenSourceLab } from '../rigs/open-source-cloud/project-lab.ts';

const mib = 2 ** 20;

describe('a VM of two disks, replicated to the open-source cloud', () => {
  let lab: OpenSourceLab;
  let files: Record<string, string>;

  beforeAll(async () => {
    lab = await startOpenSourceLab();
    const vm = join(lab.images, 'web');
    await mkdir(vm);
    files = { 'root.raw': join(vm, 'root.raw'), 'data.raw': join(vm, 'data.raw') };
    await seed(files['root.raw'] ?? '', 1024 * mib, [
      [0, 24 * mib],
      [700 * mib, 8 * mib],
    ]);
    await seed(files['data.raw'] ?? '', 300 * mib, [
      [4096, mib],
      [299 * mib, mib],
    ]);
    await writeFile(
      join(vm, 'vm.yaml'),
      'name: web\nvcpus: 1\nmemory_mb: 256\ndisks: [root.raw, data.raw]\nnics:\n  - network: default\n    mac_address: 52:54:00:aa:00:01\n',
    );
    await lab.createReplica('web', 'web', {
      storage_mappings: { default: 'standard', disk_mappings: [{ disk_id: 'data.raw', destination: 'archive' }] },
    });
  });
  afterAll(async () => lab?.close());

  it('is there byte for byte, on the types of the storage mapping, and nothing else is left', async () => {
    expect(await lab.execute('web')).toMatchObject({ state: 'completed' });
    expect(await lab.difference('web', files)).toBeUndefined();
    const { disks } = await lab.use((core) => core.call('replica.show', { replica: 'web' }));
    const types = await Promise.all(
      disks.map(async ({ diskId, volumeId }) => {
        const { volume } = await lab.api.call<{ volume: { volume_type: string } }>(
          'block-storage',
          'GET',
          `/volumes/${volumeId}`,
        );
        return [diskId, volume.volume_type];
      }),
    );
    expect(Object.fromEntries(types)).toEqual({ 'root.raw': 'standard', 'data.raw': 'archive' });
    expect((await lab.leftovers()).map((line) => line.split(' ')[0])).toEqual(['volume', 'volume']);
  });

  it('gets what changed since', async () => {
    await using disk = await open(files['root.raw'] ?? '', 'r+');
    await disk.write(randomBytes(2 * mib), 0, 2 * mib, 500 * mib);
    await disk.close();
    expect(await lab.execute('web')).toMatchObject({ state: 'completed' });
    expect(await lab.difference('web', files)).toBeUndefined();
  });
});

/** A sparse file with random bytes at some places. */
async function seed(
  path: string,
  size: number,
  places: readonly (readonly [offset: number, length: number])[],
): Promise<void> {
  await writeFile(path, '');
  await truncate(path, size);
  await using file = await open(path, 'r+');
  for (const [offset, length] of places) await file.write(randomBytes(length), 0, length, offset);
}
