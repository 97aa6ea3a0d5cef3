import { rm, statfs } from 'node:fs/promises';
import type { SocketPlace } from '../../nbd/address.ts';

/** The machine that QEMU runs on: this one, or one that is reached over SSH. */
export interface HypervisorHost {
  /** A Unix socket there. */
  socket(path: string): SocketPlace;
  /** Free bytes of the storage of a folder; undefined where they cannot be measured. */
  freeBytes(folder: string, signal: AbortSignal): Promise<number | undefined>;
  /** Removes a file, as far as it is there and the user may. */
  removeFile(path: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export const thisMachine: HypervisorHost = {
  socket: (path) => path,
  async freeBytes(folder) {
    // A folder that only QEMU sees can't be measured from here.
    const stats = await statfs(folder).catch(() => undefined);
    return stats === undefined ? undefined : stats.bavail * stats.bsize;
  },
  async removeFile(path) {
    // Best effort: under another user, the administrator has to empty the scratch folder.
    await rm(path, { force: true }).catch(() => undefined);
  },
  async close() {
    // Nothing is open.
  },
};
