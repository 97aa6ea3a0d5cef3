import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { BlockSet } from './block-set.ts';
import {
  BLOCK_BYTES,
  SEGMENT_BLOCKS,
  SEGMENT_BYTES,
  segmentCount,
  segmentOf,
  type BlockRun,
  type ByteRange,
} from './blocks.ts';
import {
  decodePage,
  encodePage,
  entryAt,
  holdsDigest,
  PAGE_BYTES,
  setDigest,
  setState,
  type DigestPage,
  type PageEntry,
} from './digest-page.ts';
import { DIGEST_BYTES } from './digests.ts';
import type { MapFile, OpenMapFile } from './map-file.ts';

const HEADER_BYTES = 4096;
const FORMAT = 'causeway digest map 1';
const MAP_ID_BYTES = 32;
/** 0.5 MiB of decoded pages, whatever the size of the disk. */
const CACHED_PAGES = 32;
/** About 1 MiB of file. */
const PAGES_BETWEEN_TURNS = 64;

/** Blocks that are durable on the destination by now. */
export interface DigestUpdate {
  readonly zero: readonly BlockRun[];
  /** Ascending or not; one digest for each block, `DIGEST_BYTES` apart in `digests`. */
  readonly blocks: readonly number[];
  readonly digests: Buffer;
}

/** Which map a disk has, and what its file alone does not say. */
export interface MapRecord {
  readonly mapId: string;
  readonly sizeBytes: number;
  /** The disk's size when the file was last used; a shorter file was cut. */
  readonly formerSizeBytes: number;
  /** Where the volume is known to be zero as long as no page says otherwise. */
  readonly zeroed: readonly ByteRange[];
  /** Pages that were written. The others are not looked for: a map of a large, mostly empty disk costs no reads. */
  readonly present: BlockSet;
}

/**
 * The digest of every block that the destination is known to hold durably, in a sparse file. The map itself knows
 * nothing of runs: the caller of `record` has made the blocks durable first.
 */
export class DigestMap {
  readonly #file: MapFile;
  readonly #record: MapRecord;
  readonly #cache = new Map<number, DigestPage>();
  readonly #scratch = Buffer.alloc(PAGE_BYTES);
  /** The page of the last query: consecutive queries tend to need the same one. */
  #lastSegment = -1;
  #lastPage: DigestPage = { kind: 'none' };

  private constructor(file: MapFile, record: MapRecord) {
    this.#file = file;
    this.#record = record;
  }

  /**
   * A new map in which nothing is known. It becomes durable with the first update; one that a crash takes away before
   * that is missed by its id.
   */
  static create(open: OpenMapFile, path: string, mapId: string, sizeBytes: number): void {
    const file = open(path, true)!;
    try {
      const header = Buffer.alloc(HEADER_BYTES);
      header.write(FORMAT, 0, 'latin1');
      header.write(mapId, 64, MAP_ID_BYTES, 'latin1');
      header.writeUInt32LE(BLOCK_BYTES, 128);
      header.writeUInt32LE(SEGMENT_BLOCKS, 132);
      header.writeUInt32LE(DIGEST_BYTES, 136);
      file.resize(fileSize(sizeBytes));
      file.write(header, 0);
    } finally {
      file.close();
    }
  }

  /** The map that was created under the record's id; undefined if it is gone, cut or another one. */
  static open(open: OpenMapFile, path: string, record: MapRecord): DigestMap | undefined {
    const { mapId, sizeBytes, formerSizeBytes } = record;
    const file = open(path, false);
    if (file === undefined) return undefined;
    if (file.size >= fileSize(formerSizeBytes)) {
      const header = Buffer.alloc(140);
      file.read(header, 0);
      const fits =
        header.toString('latin1', 0, FORMAT.length) === FORMAT &&
        header.toString('latin1', 64, 64 + MAP_ID_BYTES) === mapId &&
        header.readUInt32LE(128) === BLOCK_BYTES &&
        header.readUInt32LE(132) === SEGMENT_BLOCKS &&
        header.readUInt32LE(136) === DIGEST_BYTES;
      if (fits) {
        if (file.size < fileSize(sizeBytes)) file.resize(fileSize(sizeBytes));
        return new DigestMap(file, record);
      }
    }
    file.close();
    return undefined;
  }

  /** What the map says of a block; `damaged`: its page is not what was written, so that the destination may hold anything. */
  entry(block: number): PageEntry | 'damaged' {
    const page = this.#page(segmentOf(block));
    return page.kind === 'damaged' ? 'damaged' : entryAt(page, block % SEGMENT_BLOCKS);
  }

  /** The pages that are not on file as they were written. Reads all that were ever written: 16 KiB for 64 MiB of disk. */
  async *damagedSegments(signal: AbortSignal): AsyncGenerator<number> {
    let read = 0;
    for (const segment of this.#record.present.segments().flatMap((pages) => this.#record.present.membersOf(pages))) {
      if (segment * SEGMENT_BYTES < this.#record.sizeBytes && this.#load(segment).kind === 'damaged') yield segment;
      read += 1;
      if (read % PAGES_BETWEEN_TURNS === 0) await yieldToEventLoop(undefined, { signal });
    }
  }

  holds(block: number, digest: Buffer): boolean {
    return holdsDigest(this.#page(segmentOf(block)), block % SEGMENT_BLOCKS, digest);
  }

  /** The kept part of a block's digest; valid until the next `record`. */
  digestOf(block: number): Buffer {
    const at = (block % SEGMENT_BLOCKS) * DIGEST_BYTES;
    return this.#page(segmentOf(block)).entries!.subarray(at, at + DIGEST_BYTES);
  }

  /** Whether all blocks of the segment are known to be zero, without a look at each. */
  segmentIsZero(segment: number): boolean {
    if (!this.#record.present.has(segment)) return this.#isZeroed(segment);
    return this.#page(segment).kind === 'zero';
  }

  /** Writes updates to the file; durable when this resolves, to the pages that were written. */
  async record(updates: readonly DigestUpdate[]): Promise<BlockSet> {
    const pages = new BlockSet();
    const touched = new Set<number>();
    for (const update of updates) {
      for (const run of update.zero) this.#setZero(run, touched, pages);
      update.blocks.forEach((block, i) => {
        const segment = segmentOf(block);
        setDigest(
          this.#writable(segment),
          block % SEGMENT_BLOCKS,
          update.digests.subarray(i * DIGEST_BYTES, (i + 1) * DIGEST_BYTES),
        );
        touched.add(segment);
        if (touched.size >= CACHED_PAGES / 2) this.#write(touched, pages);
      });
    }
    this.#write(touched, pages);
    await this.#file.sync();
    return pages;
  }

  close(): void {
    this.#file.close();
  }

  #setZero(run: BlockRun, touched: Set<number>, pages: BlockSet): void {
    for (let block = run.first; block < run.first + run.count;) {
      const segment = segmentOf(block);
      const index = block % SEGMENT_BLOCKS;
      const count = Math.min(SEGMENT_BLOCKS - index, run.first + run.count - block);
      setState(this.#writable(segment), index, count, 'zero');
      touched.add(segment);
      if (touched.size >= CACHED_PAGES / 2) this.#write(touched, pages);
      block += count;
    }
  }

  #write(touched: Set<number>, pages: BlockSet): void {
    for (const segment of touched) {
      this.#file.write(encodePage(this.#page(segment), segment), pageOffset(segment));
      this.#record.present.add(segment);
      pages.add(segment);
    }
    touched.clear();
  }

  #writable(segment: number): DigestPage {
    const page = this.#page(segment);
    if (page.kind === 'damaged') page.kind = 'none';
    return page;
  }

  #page(segment: number): DigestPage {
    if (segment === this.#lastSegment) return this.#lastPage;
    let page = this.#cache.get(segment);
    if (page === undefined) page = this.#load(segment);
    else this.#cache.delete(segment);
    this.#cache.set(segment, page);
    if (this.#cache.size > CACHED_PAGES) this.#cache.delete(this.#cache.keys().next().value!);
    this.#lastSegment = segment;
    this.#lastPage = page;
    return page;
  }

  #load(segment: number): DigestPage {
    if (!this.#record.present.has(segment)) return this.#defaultPage(segment);
    this.#file.read(this.#scratch, pageOffset(segment));
    return decodePage(this.#scratch, segment);
  }

  #isZeroed(segment: number): boolean {
    const from = segment * SEGMENT_BYTES;
    const end = Math.min(from + SEGMENT_BYTES, this.#record.sizeBytes);
    return this.#record.zeroed.some(({ offset, length }) => offset <= from && offset + length >= end);
  }

  #defaultPage(segment: number): DigestPage {
    const page: DigestPage = { kind: 'none' };
    const { sizeBytes, zeroed } = this.#record;
    const from = segment * SEGMENT_BLOCKS;
    const blocks = Math.min(Math.ceil(sizeBytes / BLOCK_BYTES) - from, SEGMENT_BLOCKS);
    for (const { offset, length } of zeroed) {
      const first = Math.max(Math.ceil(offset / BLOCK_BYTES), from);
      const end =
        offset + length >= sizeBytes
          ? from + blocks
          : Math.min(Math.floor((offset + length) / BLOCK_BYTES), from + blocks);
      if (end > first) setState(page, first - from, end - first, 'zero');
    }
    return page;
  }
}

function pageOffset(segment: number): number {
  return HEADER_BYTES + segment * PAGE_BYTES;
}

function fileSize(sizeBytes: number): number {
  return HEADER_BYTES + segmentCount(sizeBytes) * PAGE_BYTES;
}
