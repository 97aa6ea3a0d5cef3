import { createHash } from 'node:crypto';
import { mkdir, open, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFile } from '../../system-files/remove-file.ts';
import { replaceFile } from '../../system-files/replace-file.ts';

const DIGEST_BYTES = 32;

/** As coarse as what is compared on its way to the destination. */
export const digestBlockBytes = 64 * 1024;

/** The digests of a disk in a snapshot, in a file: complete under its name, or being gathered. */
export class DigestFile {
  readonly #path: string;
  readonly #bytes: number;
  #handle: FileHandle | undefined;

  /** @param sizeBytes the disk's size */
  constructor(folder: string, name: string, sizeBytes: number) {
    this.#path = join(folder, name);
    this.#bytes = Math.ceil(sizeBytes / digestBlockBytes) * DIGEST_BYTES;
  }

  /** Whether the whole disk's digests are there. */
  async isComplete(): Promise<boolean> {
    return (await stat(this.#path).catch(() => undefined))?.size === this.#bytes;
  }

  /** Digests of blocks from `first` on. Only of a complete file. */
  async read(first: number, count: number): Promise<Buffer> {
    this.#handle ??= await open(this.#path, 'r');
    const into = Buffer.alloc(count * DIGEST_BYTES);
    const { bytesRead } = await this.#handle.read(into, 0, into.length, first * DIGEST_BYTES);
    return into.subarray(0, bytesRead);
  }

  /** Writes what `gather` yields from the first block to the last; the file is complete once all of it is on disk. */
  async fill(gather: AsyncIterable<Uint8Array>): Promise<void> {
    await mkdir(join(this.#path, '..'), { recursive: true, mode: 0o700 });
    const partial = `${this.#path}.partial`;
    const file = await open(partial, 'w', 0o600);
    try {
      for await (const digests of gather) await file.write(digests);
      await file.sync();
    } finally {
      await file.close();
    }
    await replaceFile(partial, this.#path);
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
  }
}

/** The file's name for a disk in a snapshot. */
export function digestFileName(tag: string, diskId: string): string {
  return `${createHash('sha256')
    .update(JSON.stringify([tag, diskId]))
    .digest('hex')
    .slice(0, 32)}.digests`;
}

export async function forgetDigests(folder: string, name: string): Promise<void> {
  await removeFile(join(folder, name));
  await removeFile(join(folder, `${name}.partial`));
}
