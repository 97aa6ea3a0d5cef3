import { NotRegular, type FileAccess } from '../file-access.ts';

/** A file system in memory that records what is asked of it. Paths are absolute, with forward slashes. */
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

export function memoryFiles(initial: Readonly<Record<string, Buffer>> = {}): MemoryFiles {
  const files = new Map(Object.entries(initial));
  const links = new Map<string, string>();
  const special = new Set<string>();
  const asked = new Set<string>();
  const work = { reads: 0, bytes: 0, open: 0 };
  const exists = (path: string) => files.has(path) || special.has(path) || [...files.keys()].some((file) => file.startsWith(`${path}/`));
  return {
    files,
    links,
    special,
    asked,
    work,
    reset() {
      asked.clear();
      Object.assign(work, { reads: 0, bytes: 0, open: 0 });
    },
    realpath(path) {
      asked.add(path);
      const real = links.get(path) ?? path;
      return exists(real) ? Promise.resolve(real) : Promise.reject(Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' }));
    },
    open(path) {
      asked.add(path);
      const bytes = files.get(path);
      if (bytes === undefined) return Promise.reject(new NotRegular(path));
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
