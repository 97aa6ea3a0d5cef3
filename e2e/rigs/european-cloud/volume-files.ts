import { execFile } from 'node:child_process';
import { mkdir, open, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const gibibyte = 2 ** 30;

/** The bytes of volumes and snapshots: sparse raw files, one a resource, in real sizes. */
export class VolumeFiles {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  path(id: string): string {
    return join(this.folder, `${id}.raw`);
  }

  async createBlank(id: string, sizeGiB: number): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const file = await open(this.path(id), 'wx');
    try {
      await file.truncate(sizeGiB * gibibyte);
    } finally {
      await file.close();
    }
  }

  /** A copy that shares blocks where the file system can, and stays sparse where it cannot. */
  async copy(fromId: string, toId: string): Promise<void> {
    await run('cp', ['--sparse=always', '--reflink=auto', this.path(fromId), this.path(toId)]);
  }

  async grow(id: string, sizeGiB: number): Promise<void> {
    await truncate(this.path(id), sizeGiB * gibibyte);
  }

  async remove(id: string): Promise<void> {
    await rm(this.path(id), { force: true });
  }
}
