import type { PageBlobClient } from '@azure/storage-blob';

/** What one request reads at most. */
export const readBytes = 8 * 2 ** 20;

export interface PageOptions {
  readonly abortSignal: AbortSignal;
}

/** Ranges of pages as the library gives them. */
export interface ListedPages {
  readonly pageRange?: readonly { readonly offset: number; readonly count?: number }[];
  readonly clearRange?: readonly { readonly offset: number; readonly count?: number }[];
}

/** The pages of a disk in one snapshot, however one gets at them: by a signed address that ends, or by the identity that is signed in. */
export interface PageAccess {
  use<T>(
    operation: string,
    work: (pages: PageBlobClient, options: PageOptions) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>;
  /** Fills `into` with the bytes at `offset`. */
  read(operation: string, offset: number, into: Uint8Array, signal: AbortSignal): Promise<void>;
  /** Lists what differs from an earlier snapshot of the same disk. */
  changes(
    pages: PageBlobClient,
    offset: number,
    length: number,
    former: string,
    options: PageOptions,
  ): Promise<ListedPages>;
  /** What another snapshot's list of changes names this one by. */
  name(signal: AbortSignal): Promise<string>;
  /** Forgets a name that was refused. */
  refused(name: string, signal: AbortSignal): Promise<void>;
}

/** The same by the library's own reading, for blobs that are read by the identity that is signed in. */
export const readByDownload =
  (use: PageAccess['use']): PageAccess['read'] =>
  async (operation, offset, into, signal) =>
    void (await use(
      operation,
      (pages, { abortSignal }) =>
        pages.downloadToBuffer(Buffer.from(into.buffer, into.byteOffset, into.byteLength), offset, into.length, {
          abortSignal,
          blockSize: readBytes,
          concurrency: 2,
          maxRetryRequestsPerBlock: 0,
        }),
      signal,
    ));
