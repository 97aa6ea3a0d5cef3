import { mkdir, open, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDiskImagesSource } from '../../electron/engine/platforms/disk-images/index.ts';
import { closing, temporaryFolder } from '../rigs/closing.ts';
import type { SourceHarness } from './source-harness.ts';

const MIB = 1024 * 1024;

/** A folder with a VM of two raw images; the "guest" writes into the files between snapshots. */
export async function diskImagesHarness(): Promise<SourceHarness> {
  await using stack = new AsyncDisposableStack();
  const folder = await temporaryFolder(stack, 'cwy-images-');
  const vm = join(folder, 'images', 'web-01');
  await mkdir(vm, { recursive: true });
  const names = ['disk-0.raw', 'disk-1.raw', 'disk-2.raw'] as const;
  const path = (index: number) => join(vm, names[index] ?? '');
  for (const [index, size] of [16 * MIB, 8 * MIB].entries()) {
    await writeFile(path(index), '');
    await truncate(path(index), size);
  }
  const reopen = () =>
    createDiskImagesSource({ path: join(folder, 'images') }, { scratchFolder: join(folder, 'scratch') });
  const platform = stack.adopt(reopen(), closing);
  const write = async (index: number, offset: number, length: number, byte: number): Promise<void> => {
    await using file = await open(path(index), 'r+');
    await file.write(Buffer.alloc(length, byte), 0, length, offset);
  };
  const opened = stack.move();
  return {
    platform,
    reopen,
    leftovers: async () => [],
    vmId: 'web-01',
    environment: {},
    diskIds: [names[0], names[1]],
    tracksChanges: false,
    isLive: false,
    write,
    async zero(index, offset, length) {
      // A hole where the block was: what remains is moved to a new sparse file.
      const bytes = await readFile(path(index));
      bytes.fill(0, offset, offset + length);
      await rm(path(index));
      await using file = await open(path(index), 'w');
      await file.truncate(bytes.length);
      for (let at = 0; at < bytes.length; at += 64 * 1024) {
        const block = bytes.subarray(at, at + 64 * 1024);
        if (block.some((byte) => byte !== 0)) await file.write(block, 0, block.length, at);
      }
    },
    content: (index) => readFile(path(index)),
    async addDisk(sizeBytes, byte) {
      await writeFile(path(2), Buffer.alloc(sizeBytes, byte));
      return names[2];
    },
    growDisk: (index, sizeBytes) => truncate(path(index), sizeBytes),
    spoil: () => write(1, 0, 64 * 1024, 0x77),
    async loseBase() {
      // There is nothing to lose: every execution reads all.
    },
    close: () => opened.disposeAsync(),
  };
}
