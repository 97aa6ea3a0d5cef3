import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { CausewayError } from '../../../../../../../shared/model/causeway-error.ts';
import type { ObjectStore } from '../../../client/object-store.ts';
import type { BackupPart } from './backup-layout.ts';

const inflate = promisify(zlib.inflate);
const gunzip = promisify(zlib.gunzip);
const zstd = promisify(zlib.zstdDecompress);

/** As much as this is kept, or three parts when they are larger: readers go through a volume with a few requests at once. */
const keptBytes = 64 * 1024 * 1024;

/** Parts of backups, fetched, decompressed and verified once while they are in use. */
export class PartCache {
  readonly #store: ObjectStore;
  /** In the order of their last use. */
  readonly #parts = new Map<string, { readonly length: number; readonly content: Promise<Buffer> }>();
  readonly #stop = new AbortController();

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** The volume's bytes in a part. @throws `source.backup-unreadable`, `cloud.*` */
  async content(part: BackupPart): Promise<Buffer> {
    const key = `${part.container}/${part.name}`;
    const known = this.#parts.get(key);
    this.#parts.delete(key);
    const entry = known ?? { length: part.length, content: fetchPart(this.#store, part, this.#stop.signal) };
    this.#parts.set(key, entry);
    this.#trim();
    try {
      return await entry.content;
    } catch (error) {
      // The next reader tries again.
      if (this.#parts.get(key) === entry) this.#parts.delete(key);
      throw error;
    }
  }

  close(): void {
    this.#stop.abort(new CausewayError('general.cancelled', 'the backup was closed'));
    for (const { content } of this.#parts.values()) content.catch(() => undefined);
    this.#parts.clear();
  }

  #trim(): void {
    let kept = 0;
    const largest = Math.max(...[...this.#parts.values()].map((entry) => entry.length));
    for (const [key, entry] of [...this.#parts].reverse()) {
      kept += entry.length;
      if (kept > Math.max(keptBytes, 3 * largest)) this.#parts.delete(key);
    }
  }
}

async function fetchPart(store: ObjectStore, part: BackupPart, signal: AbortSignal): Promise<Buffer> {
  const stored = await store.read(part.container, part.name, signal);
  if (stored === undefined) throw unreadable(part, 'the object no longer exists');
  const content = await decompress(part, stored);
  if (content.length !== part.length)
    throw unreadable(part, `it contains ${content.length} bytes instead of ${part.length}`);
  if (createHash('md5').update(content).digest('hex') !== part.md5)
    throw unreadable(part, 'its content does not match its checksum');
  return content;
}

async function decompress(part: BackupPart, stored: Uint8Array): Promise<Buffer> {
  try {
    switch (part.compression) {
      case 'none':
        return Buffer.from(stored.buffer, stored.byteOffset, stored.length);
      case 'zlib':
        return await inflate(stored);
      case 'gzip':
        // The cloud's name for zlib; a real gzip file is recognized by its first bytes.
        return await (stored[0] === 0x1f && stored[1] === 0x8b ? gunzip(stored) : inflate(stored));
      case 'zstd':
        return await zstd(stored);
      case 'bz2':
        break;
    }
  } catch (error) {
    throw unreadable(part, `it cannot be decompressed as ${part.compression}`, error);
  }
  throw new CausewayError(
    'source.unsupported',
    `backups that are compressed with ${part.compression} cannot be read; configure the backup service to use zlib or zstd, or choose another export mechanism`,
  );
}

function unreadable(part: BackupPart, why: string, cause?: unknown): CausewayError {
  return new CausewayError('source.backup-unreadable', `${part.container}/${part.name}: ${why}`, { cause });
}
