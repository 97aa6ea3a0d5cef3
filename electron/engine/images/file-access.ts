import { constants, realpath as realpathByParts } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import path, { type PlatformPath } from 'node:path';
import { promisify } from 'node:util';
import { storedRanges, type ByteRange } from './stored-ranges.ts';

/** What readers of images need of a file system. Everything that they open goes through it. */
export interface FileAccess {
  /** How paths are written. */
  readonly path: PlatformPath;
  /** The path with every symbolic link resolved. Rejects with `ENOENT` when it does not exist. */
  realpath(path: string): Promise<string>;
  /** Opens a regular file for reading and never waits for one (a FIFO, a device). @throws NotRegular, errors of the system */
  open(path: string): Promise<OpenedFile>;
}

export interface OpenedFile {
  readonly sizeBytes: number;
  /** Bytes that the file takes on its disk; less than `sizeBytes` when it has holes (or is compressed). */
  readonly allocatedBytes: number;
  /** The parts that are no holes, in order; undefined where that can't be told, or nothing is a hole. */
  storedRanges?(signal: AbortSignal): Promise<readonly ByteRange[] | undefined>;
  /** Fills as much of `into` as the file has at `position`. Returns the number of bytes, 0 at the end. */
  read(into: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
}

export class NotRegular extends Error {}

const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export const systemFiles: FileAccess = {
  path,
  realpath: realPath,
  open: openRegular,
};

/** As `system-files/real-path.ts`, of which image readers may not know: Windows may refuse to resolve paths of more than 260 characters, which Node resolves part by part. */
async function realPath(name: string): Promise<string> {
  try {
    return await realpath(name);
  } catch (error) {
    if (process.platform !== 'win32' || name.length < 230) throw error;
    return promisify(realpathByParts)(name);
  }
}

async function openRegular(name: string): Promise<OpenedFile> {
  // Looked at first: opening a device can have effects.
  const before = await lstat(name, { bigint: true });
  if (!before.isFile()) throw new NotRegular(name);
  const handle = await open(name, FLAGS);
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile() || stats.ino !== before.ino || stats.dev !== before.dev) throw new NotRegular(name);
    const [sizeBytes, allocatedBytes] = [Number(stats.size), Number(stats.blocks) * 512];
    return {
      sizeBytes,
      allocatedBytes,
      storedRanges: async (signal) =>
        allocatedBytes < sizeBytes ? storedRanges(handle.fd, name, sizeBytes, signal) : undefined,
      read: async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead,
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
