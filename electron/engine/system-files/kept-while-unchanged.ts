import { statSync, type BigIntStats } from 'node:fs';

/**
 * A file whose times are closer than this to when it was looked at is read again the next time: it may be written once more within the same
 * tick of its file system's clock (two seconds on FAT). So is one from the future, where clocks differ.
 */
const settledMs = 3_000;

export interface KeptWhileUnchanged<T> {
  /** What `read` gave when the file was like this; what it throws, or an absent file, is never kept. */
  read(path: string, read: () => T | undefined): T | undefined;
  /** Files that are gone take no memory. */
  forgetAllBut(paths: readonly string[]): void;
}

/**
 * What was read from files, kept for as long as the system says that they are the very same: file, size, and the times of the last writing and
 * of the last change of anything. The latter can't be set back by anybody who writes to the file.
 */
export function keptWhileUnchanged<T>(now: () => number = Date.now): KeptWhileUnchanged<T> {
  const kept = new Map<string, { readonly state: string; readonly value: T }>();
  return {
    read(path, read) {
      const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
      const state = stats === undefined ? undefined : stateOf(stats);
      const known = kept.get(path);
      if (known !== undefined && known.state === state) return known.value;
      kept.delete(path);
      // Before it is read: what is written while it is being read counts as recent.
      const lookedAt = now();
      const value = read();
      if (stats !== undefined && state !== undefined && value !== undefined && isSettled(stats, lookedAt))
        kept.set(path, { state, value });
      return value;
    },
    forgetAllBut(paths) {
      if (kept.size === 0) return;
      const there = new Set(paths);
      for (const path of kept.keys()) if (!there.has(path)) kept.delete(path);
    },
  };
}

function stateOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

function isSettled({ mtimeMs, ctimeMs }: BigIntStats, lookedAt: number): boolean {
  return lookedAt - Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs) > settledMs;
}
