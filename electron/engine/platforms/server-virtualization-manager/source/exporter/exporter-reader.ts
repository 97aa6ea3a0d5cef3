import { copyBytes } from '../../../../concurrency/copy-bytes.ts';
import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import { extentsFrom, type Extent } from '../../../../../../shared/model/extent.ts';
import { isStatus } from '../../../../http/http-error.ts';
import { refuseOutside, type DiskReader } from '../../../../ports/disk-reader.ts';
import type { Exporter } from '../../client/exporter.ts';

/** The largest part of a disk that one request asks for. */
const requestBytes = 8 * 2 ** 20;
/** Requests under way at a time. */
const mostRequests = 8;
/** No file system has smaller clusters. */
const smallestCluster = 4096;

/** Where the bytes of one disk of a snapshot are. */
export interface ExportedDisk {
  readonly exporter: Exporter;
  readonly vmId: string;
  readonly snapshotId: string;
  /** The file in the snapshot. */
  readonly file: string;
  readonly sizeBytes: number;
}

/** Reads ranges of a file in a snapshot. What it holds, or what changed in it, is known from the start. */
export class ExporterReader implements DiskReader {
  readonly sizeBytes: number;
  readonly coverage: 'allocated' | 'changed';
  readonly granularityBytes = smallestCluster;
  readonly #disk: ExportedDisk;
  readonly #extents: readonly Extent[];
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(disk: ExportedDisk, coverage: 'allocated' | 'changed', extents: readonly Extent[]) {
    this.sizeBytes = disk.sizeBytes;
    this.coverage = coverage;
    this.#disk = disk;
    this.#extents = extents;
  }

  extents(_signal: AbortSignal, fromBytes = 0): AsyncIterable<Extent> {
    return extentsFrom(this.#extents, fromBytes);
  }

  async read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    refuseOutside(this, offset, into.length);
    for (let at = 0; at < into.length; at += requestBytes) {
      const length = Math.min(requestBytes, into.length - at);
      copyBytes(await this.#part(offset + at, length, signal), into, at);
    }
  }

  async #part(offset: number, length: number, signal: AbortSignal): Promise<Uint8Array> {
    const { exporter, vmId, snapshotId, file } = this.#disk;
    while (this.#running >= mostRequests) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running += 1;
    try {
      signal.throwIfAborted();
      return await exporter.read(vmId, snapshotId, file, offset, length, signal);
    } catch (error) {
      if (signal.aborted)
        throw new CausewayError('general.cancelled', `reading of ${file} was cancelled`, { cause: error });
      if (isStatus(error, 404))
        throw new CausewayError(
          'source.snapshot-lost',
          `snapshot ${snapshotId} of VM ${vmId} no longer exists at the exporter`,
          { cause: error },
        );
      throw error;
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  async close(): Promise<void> {
    // Each read is a request of its own.
  }
}
