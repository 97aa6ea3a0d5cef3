import { copyBytes } from '../../../../../concurrency/copy-bytes.ts';
import { CausewayError } from '../../../../../../../shared/model/causeway-error.ts';
import { extentsFrom, type Extent } from '../../../../../../../shared/model/extent.ts';
import { refuseOutside, type DiskReader } from '../../../../../ports/disk-reader.ts';
import type { ObjectStore } from '../../../client/object-store.ts';
import { flattenChain, piecesOf, type ChainPiece } from './backup-chain.ts';
import type { StoredBackup } from './backup-layout.ts';
import { BlockKinds } from './block-kinds.ts';
import type { StoredDigests } from './digest-file.ts';
import { PartCache } from './part-cache.ts';

/** A volume as a backup in the object store has it. Changes are found by comparing the digests of both backups, not from the chain. */
export class BackupReader implements DiskReader {
  readonly sizeBytes: number;
  readonly coverage: 'allocated' | 'changed';
  readonly granularityBytes: number;
  readonly #flat: readonly ChainPiece[];
  readonly #digests: StoredDigests;
  readonly #base: StoredDigests | undefined;
  #kinds: BlockKinds | undefined;
  readonly #cache: PartCache;

  /**
   * @param chain the backup and all that it depends on, the newest first
   * @param base digests of blocks of the same size
   */
  constructor(
    store: ObjectStore,
    chain: readonly StoredBackup[],
    sizeBytes: number,
    digests: StoredDigests,
    base: StoredDigests | undefined,
  ) {
    this.sizeBytes = sizeBytes;
    this.coverage = base === undefined ? 'allocated' : 'changed';
    this.granularityBytes = digests.blockBytes;
    this.#flat = flattenChain(chain);
    this.#digests = digests;
    this.#base = base;
    this.#cache = new PartCache(store);
  }

  async *extents(signal: AbortSignal, fromBytes = 0): AsyncIterable<Extent> {
    this.#kinds ??= await BlockKinds.compare(this.#digests, this.#base, this.sizeBytes, signal);
    for await (const extent of extentsFrom(this.#kinds.extents(), fromBytes)) {
      signal.throwIfAborted();
      yield extent;
    }
  }

  async read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    refuseOutside(this, offset, into.length);
    for (const piece of piecesOf(this.#flat, offset, into.length)) {
      const content = await orCancelled(this.#cache.content(piece.part), signal);
      copyBytes(
        content.subarray(piece.offset - piece.part.offset, piece.offset - piece.part.offset + piece.length),
        into,
        piece.offset - offset,
      );
    }
  }

  close(): Promise<void> {
    this.#cache.close();
    return Promise.resolve();
  }
}

/** A part is fetched for all waiting readers: one that is cancelled does not cancel the others. */
async function orCancelled<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const cancelled = (): CausewayError => new CausewayError('general.cancelled', 'reading a backup was cancelled');
  if (signal.aborted) {
    work.catch(() => undefined);
    throw cancelled();
  }
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(cancelled());
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
