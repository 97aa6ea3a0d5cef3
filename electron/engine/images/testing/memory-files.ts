import { posix, win32 } from 'node:path';
import { NotRegular, type FileAccess } from '../file-access.ts';

/** A file system in memory that records what is asked of it. Paths are absolute; case does not matter on Windows. */
export interface MemoryFiles extends FileAccess {
  readonly files: Map<string, Buffer>;
  /** Symbolic links to absolute paths. */
  readonly links: Map<string, string>;
  /** Paths of FIFOs, devices and the like. */
  readonly special: Set<string>;
  /** Every path that was asked for, and what was read since the last `reset`. */
  readonly asked: Set<string>;
  readonly work: { reads: number; bytes: number; open: number };
  reset(): void;
}

export function memoryFiles(initial: Readonly<Record<string, Buffer>> = {}, path: typeof posix = posix): MemoryFiles {
  const files = new Map(Object.entries(initial));
  const links = new Map<string, string>();
  const special = new Set<string>();
  const asked = new Set<string>();
  const work = { reads: 0, bytes: 0, open: 0 };
  const same =
    path === win32
      ? (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
      : (one: string, other: string) => one === other;
  /** The path in the case that it was made with; undefined when it does not exist. */
  const existing = (asked: string) => {
    if (files.has(asked) || special.has(asked)) return asked;
    for (const file of [...files.keys(), ...special]) {
      if (same(file, asked)) return file;
      const folder = file.slice(0, asked.length);
      if (same(folder, asked) && file[asked.length] === path.sep) return folder;
    }
    return undefined;
  };
  return {
    path,
    files,
    links,
    special,
    asked,
    work,
    reset() {
      asked.clear();
      Object.assign(work, { reads: 0, bytes: 0, open: 0 });
    },
    realpath(name) {
      asked.add(name);
      const real = existing(links.get(name) ?? name);
      return real === undefined
        ? Promise.reject(Object.assign(new Error(`ENOENT: ${name}`), { code: 'ENOENT' }))
        : Promise.resolve(real);
    },
    open(name) {
      asked.add(name);
      const bytes = files.get(name);
      if (bytes === undefined) return Promise.reject(new NotRegular(name));
      work.open += 1;
      return Promise.resolve({
        sizeBytes: bytes.length,
        allocatedBytes: bytes.length,
        read(into: Uint8Array, position: number) {
          work.reads += 1;
          work.bytes += into.length;
          const part = bytes.subarray(position, position + into.length);
          into.set(part);
          return Promise.resolve(part.length);
        },
        close() {
          work.open -= 1;
          return Promise.resolve();
        },
      });
    },
  };
}
