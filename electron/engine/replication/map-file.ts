import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { CausewayError } from '../../../shared/model/causeway-error.ts';

/** Positional I/O on the map's file. Only `sync` makes anything durable. */
export interface MapFile {
  readonly size: number;
  read(into: Buffer, position: number): void;
  write(bytes: Buffer, position: number): void;
  resize(size: number): void;
  sync(): Promise<void>;
  close(): void;
}

/** Opens the map's file, and creates it when `create`; undefined when it is not there. */
export type OpenMapFile = (path: string, create: boolean) => MapFile | undefined;

const sync = promisify(fdatasync);

export const openMapFile: OpenMapFile = (path, create) => {
  let fd: number;
  try {
    fd = openSync(path, create ? 'w+' : 'r+');
  } catch (error) {
    if (!create && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(path, error);
  }
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw unusable(path, error);
    }
  };
  return {
    get size() {
      return guarded(() => fstatSync(fd).size);
    },
    read: (into, position) =>
      guarded(() => {
        for (let done = 0; done < into.length;) {
          const got = readSync(fd, into, done, into.length - done, position + done);
          if (got === 0) throw new Error(`it ends at ${position + done}`);
          done += got;
        }
      }),
    write: (bytes, position) =>
      guarded(() => {
        for (let done = 0; done < bytes.length;)
          done += writeSync(fd, bytes, done, bytes.length - done, position + done);
      }),
    resize: (size) => guarded(() => ftruncateSync(fd, size)),
    sync: () =>
      sync(fd).catch((error: unknown) => {
        throw unusable(path, error);
      }),
    close: () => closeSync(fd),
  };
};

function unusable(path: string, error: unknown): CausewayError {
  const reason = error instanceof Error ? error.message : String(error);
  return new CausewayError('replication.map-unusable', `digest map ${path}: ${reason}`, {
    details: { path },
    cause: error,
  });
}
