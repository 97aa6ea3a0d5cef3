import { bytesAt, type ImageBytes } from './image-bytes.ts';

/** What an entry costs besides its bytes: an image decides how small its tables are, down to a few bytes each. */
const ENTRY_BYTES = 512;

/** Buffers by key, the least recently used ones dropped when they take more than `limitBytes` together. */
export class ByteCache {
  readonly #entries = new Map<string, { readonly bytes: Promise<Buffer>; size: number }>();
  readonly #limit: number;
  #total = 0;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  /** The buffer of `key`; `load` runs once for callers that ask at the same time. A failed load is forgotten. */
  get(key: string, load: () => Promise<Buffer>): Promise<Buffer> {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known.bytes;
    }
    const entry = { bytes: load(), size: 0 };
    this.#entries.set(key, entry);
    entry.bytes.then(
      (bytes) => {
        if (this.#entries.get(key) !== entry) return;
        entry.size = bytes.length + ENTRY_BYTES;
        this.#total += entry.size;
        this.#shrink();
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    return entry.bytes;
  }

  /** Bytes that are held, with what it costs to hold them. */
  get sizeBytes(): number {
    return this.#total;
  }

  #shrink(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#total <= this.#limit) return;
      this.#entries.delete(key);
      this.#total -= entry.size;
    }
  }
}

const PAGE = 64 * 1024;
let tables = 0;

/** A table of fixed-size entries in a file, read a page at a time. */
export interface Table {
  readonly count: number;
  /** The page with entry `index`: its entries start at `first`, `entries` of them, in `bytes`. */
  page(index: number): Promise<{ readonly bytes: Buffer; readonly first: number; readonly entries: number }>;
}

/** @throws CausewayError source.image-unreadable when the table does not lie within the file */
export async function openTable(
  cache: ByteCache,
  file: ImageBytes,
  at: number,
  entryBytes: number,
  count: number,
): Promise<Table> {
  // Only a look at its last entry: the table may be large, and is read as it is needed.
  if (count > 0) await bytesAt(file, at + (count - 1) * entryBytes, entryBytes);
  return tableAt(cache, `table${++tables}`, file, at, entryBytes, count);
}

/** As `openTable`, for a table among many in a file: `key` tells it apart in the cache. */
export function tableAt(
  cache: ByteCache,
  key: string,
  file: ImageBytes,
  at: number,
  entryBytes: number,
  count: number,
): Table {
  const perPage = PAGE / entryBytes;
  return {
    count,
    async page(index) {
      const first = index - (index % perPage);
      const entries = Math.min(perPage, count - first);
      const bytes = await cache.get(`${key}/${first}`, () =>
        bytesAt(file, at + first * entryBytes, entries * entryBytes),
      );
      return { bytes, first, entries };
    },
  };
}
