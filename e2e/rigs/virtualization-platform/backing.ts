import type { Extent } from '../../../shared/model/extent.ts';

/** What a disk of the rig was at one moment. */
export interface FrozenContent {
  readonly sizeBytes: number;
  /** What was written since the moment that was frozen before; undefined where nobody knows. */
  readonly changes: readonly Extent[] | undefined;
  /** Ascending and complete. */
  allocated(): Promise<readonly Extent[]>;
  read(offset: number, length: number): Promise<Buffer>;
  release(): Promise<void>;
}

/** Where the bytes of a disk come from: memory that a test writes to, or a machine that runs. */
export interface Backing {
  readonly sizeBytes: number;
  freeze(): Promise<FrozenContent>;
  close(): Promise<void>;
}

/** What change tracking and allocation go by. */
export const blockBytes = 64 * 1024;

/** A disk in memory whose only writer is the test. */
export class MemoryDisk implements Backing {
  #bytes: Buffer;
  /** By block: 0 never written, 1 in use. */
  #used: Uint8Array;
  /** By block: written since the last freeze. */
  #dirty: Uint8Array;

  constructor(sizeBytes: number) {
    this.#bytes = Buffer.alloc(sizeBytes);
    this.#used = new Uint8Array(Math.ceil(sizeBytes / blockBytes));
    this.#dirty = new Uint8Array(this.#used.length);
  }

  get sizeBytes(): number {
    return this.#bytes.length;
  }

  get content(): Buffer {
    return Buffer.from(this.#bytes);
  }

  write(offset: number, data: Buffer): void {
    data.copy(this.#bytes, offset);
    this.#mark(offset, data.length);
  }

  /** Changes bytes behind the back of change tracking, as a revert does. */
  writeUnseen(offset: number, data: Buffer): void {
    data.copy(this.#bytes, offset);
    this.#used.fill(1, Math.floor(offset / blockBytes), Math.ceil((offset + data.length) / blockBytes));
  }

  grow(sizeBytes: number): void {
    const larger = (former: Uint8Array): Uint8Array => {
      const map = new Uint8Array(Math.ceil(sizeBytes / blockBytes));
      map.set(former);
      return map;
    };
    this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(sizeBytes - this.#bytes.length)]);
    [this.#used, this.#dirty] = [larger(this.#used), larger(this.#dirty)];
  }

  async freeze(): Promise<FrozenContent> {
    const [bytes, used] = [Buffer.from(this.#bytes), Uint8Array.from(this.#used)];
    const changes = runsOf(this.#dirty, bytes.length).filter(({ kind }) => kind === 'data');
    this.#dirty.fill(0);
    return {
      sizeBytes: bytes.length,
      changes,
      allocated: async () => runsOf(used, bytes.length),
      read: async (offset, length) => bytes.subarray(offset, offset + length),
      release: async () => undefined,
    };
  }

  async close(): Promise<void> {}

  #mark(offset: number, length: number): void {
    const [from, to] = [Math.floor(offset / blockBytes), Math.ceil((offset + length) / blockBytes)];
    this.#used.fill(1, from, to);
    this.#dirty.fill(1, from, to);
  }
}

/** Runs of marked and unmarked blocks as extents of data and zeros. */
function runsOf(marks: Uint8Array, sizeBytes: number): Extent[] {
  const runs: Extent[] = [];
  for (let block = 0; block < marks.length;) {
    let end = block;
    while (end < marks.length && marks[end] === marks[block]) end += 1;
    const offset = block * blockBytes;
    runs.push({
      offset,
      length: Math.min(sizeBytes, end * blockBytes) - offset,
      kind: marks[block] === 1 ? 'data' : 'zero',
    });
    block = end;
  }
  return runs;
}
