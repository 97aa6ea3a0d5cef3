import { execFile } from 'node:child_process';
import { mkdir, open, rm, stat, truncate } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sparseCopier } from './sparse-copier.ts';

const run = promisify(execFile);
export const gibibyte = 2 ** 30;

/** A run of bytes. */
export interface Run {
  readonly offset: number;
  readonly length: number;
}

/** A block that differs from the same one of an earlier state. */
export interface ChangedBlock {
  readonly index: number;
  /** Whether it is zeros now. */
  readonly isZero: boolean;
}

/** The bytes of volumes and snapshots: sparse raw files, one a resource, in real sizes. */
export class VolumeFiles {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  path(id: string): string {
    return join(this.folder, `${id}.raw`);
  }

  async createBlank(id: string, sizeBytes: number): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const file = await open(this.path(id), 'wx');
    try {
      await file.truncate(sizeBytes);
    } finally {
      await file.close();
    }
  }

  /** A copy that shares blocks where the file system can, and stays sparse where it cannot: a snapshot, or a clone. */
  async copy(fromId: string, toId: string): Promise<void> {
    await sparseCopier.copy(this.path(fromId), this.path(toId));
  }

  async grow(id: string, sizeBytes: number): Promise<void> {
    await truncate(this.path(id), sizeBytes);
  }

  async remove(id: string): Promise<void> {
    await rm(this.path(id), { force: true });
  }

  async sizeBytes(id: string): Promise<number> {
    return (await stat(this.path(id))).size;
  }

  /** Reads `length` bytes at `offset`; what lies beyond the end is left out. */
  async read(id: string, offset: number, length: number): Promise<Buffer> {
    return this.#with(id, 'r', (file) => readAt(file, offset, length));
  }

  async write(id: string, offset: number, data: Uint8Array): Promise<void> {
    await this.#with(id, 'r+', (file) => file.write(data, 0, data.length, offset));
  }

  /** Indexes of the blocks that hold anything but zeros. */
  async allocatedBlocks(id: string, blockBytes: number): Promise<number[]> {
    return (await this.#compare(undefined, id, blockBytes)).map(({ index }) => index);
  }

  /** The blocks of `id` that differ from those of `since`; what `since` does not have counts as zeros. */
  async changedBlocks(since: string, id: string, blockBytes: number): Promise<ChangedBlock[]> {
    return this.#compare(since, id, blockBytes);
  }

  async #compare(since: string | undefined, id: string, blockBytes: number): Promise<ChangedBlock[]> {
    const size = await this.sizeBytes(id);
    const runs = await Promise.all(
      [id, ...(since === undefined ? [] : [since])].map((one) => dataRuns(this.path(one))),
    );
    const indexes = new Set<number>();
    for (const { offset, length } of runs.flat()) {
      const last = Math.floor((Math.min(offset + length, size) - 1) / blockBytes);
      for (let index = Math.floor(offset / blockBytes); index <= last; index += 1) indexes.add(index);
    }
    const zeros = Buffer.alloc(blockBytes);
    const changed: ChangedBlock[] = [];
    await this.#with(id, 'r', async (file) => {
      const before = since === undefined ? undefined : await open(this.path(since));
      try {
        for (const index of [...indexes].sort((one, other) => one - other)) {
          const now = await readAt(file, index * blockBytes, blockBytes);
          const blank = zeros.subarray(0, now.length);
          const then =
            before === undefined ? blank : padded(await readAt(before, index * blockBytes, blockBytes), now.length);
          if (!now.equals(then)) changed.push({ index, isZero: now.equals(blank) });
        }
      } finally {
        await before?.close();
      }
    });
    return changed;
  }

  async #with<T>(id: string, flags: string, act: (file: FileHandle) => Promise<T>): Promise<T> {
    const file = await open(this.path(id), flags);
    try {
      return await act(file);
    } finally {
      await file.close();
    }
  }
}

/** Blocks next to each other as runs of bytes, cut at the end of the disk. */
export function runsOf(indexes: readonly number[], blockBytes: number, sizeBytes: number): Run[] {
  const runs: { offset: number; length: number }[] = [];
  for (const index of indexes) {
    const offset = index * blockBytes;
    const length = Math.min(blockBytes, sizeBytes - offset);
    const last = runs.at(-1);
    if (last !== undefined && last.offset + last.length === offset) last.length += length;
    else runs.push({ offset, length });
  }
  return runs;
}

async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** The buffer with zeros up to a length, or cut to it. */
const padded = (buffer: Buffer, length: number): Buffer =>
  buffer.length >= length ? buffer.subarray(0, length) : Buffer.concat([buffer, Buffer.alloc(length - buffer.length)]);

// Node has no seek for holes.
const seekScript = `
import json, os, sys
runs = []
with open(sys.argv[1], 'rb') as file:
    end = os.fstat(file.fileno()).st_size
    at = 0
    while at < end:
        try:
            at = os.lseek(file.fileno(), at, os.SEEK_DATA)
        except OSError:
            break
        hole = os.lseek(file.fileno(), at, os.SEEK_HOLE)
        runs.append([at, hole - at])
        at = hole
print(json.dumps(runs))
`;

/** A file of up to so many bytes is sooner read than asked about. */
const smallBytes = 64 * 2 ** 20;

/** Where a file has data; all of it where it is small, or where no Python is there to ask the file system. */
async function dataRuns(path: string): Promise<Run[]> {
  const { size, blocks } = await stat(path);
  if (size === 0 || blocks === 0) return [];
  if (size <= smallBytes) return [{ offset: 0, length: size }];
  try {
    const { stdout } = await run('python3', ['-c', seekScript, path], { maxBuffer: 256 * 1024 * 1024 });
    return (JSON.parse(stdout) as [number, number][]).map(([offset, length]) => ({ offset, length }));
  } catch {
    return [{ offset: 0, length: size }];
  }
}
