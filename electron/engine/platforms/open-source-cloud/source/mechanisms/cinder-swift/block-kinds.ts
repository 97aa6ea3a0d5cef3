import { createHash } from 'node:crypto';
import { CausewayError } from '../../../../../../../shared/model/causeway-error.ts';
import type { Extent } from '../../../../../../../shared/model/extent.ts';
import { appendExtent } from '../../../../../nbd/status-extents.ts';
import { DIGEST_BYTES, scanDigests, type StoredDigests } from './digest-file.ts';

const WORDS = DIGEST_BYTES / 4;
const UNCHANGED = 0;
const DATA = 1;
const ZERO = 2;

/** What each block of a volume is, in two bits: 8 MiB for a volume of 1 TiB in blocks of 32 KiB. */
export class BlockKinds {
  readonly #bits: Uint8Array;
  readonly #blockBytes: number;
  readonly #sizeBytes: number;

  private constructor(blockBytes: number, sizeBytes: number) {
    this.#blockBytes = blockBytes;
    this.#sizeBytes = sizeBytes;
    this.#bits = new Uint8Array(Math.ceil(Math.ceil(sizeBytes / blockBytes) / 4));
  }

  /**
   * Goes through the digests of a backup, and at the same time through those of the base: neither is ever held as a whole.
   *
   * @param base of blocks of the same size; undefined: nothing counts as unchanged
   * @throws `source.backup-unreadable` when one of the files is damaged, or tells of another number of blocks
   */
  static async compare(
    now: StoredDigests,
    base: StoredDigests | undefined,
    sizeBytes: number,
    signal: AbortSignal,
  ): Promise<BlockKinds> {
    const kinds = new BlockKinds(now.blockBytes, sizeBytes);
    const blocks = Math.ceil(sizeBytes / now.blockBytes);
    const zero = wordsOf(createHash('sha256').update(Buffer.alloc(now.blockBytes)).digest());
    const former = base === undefined ? undefined : new DigestQueue(base, blocks, signal);
    let block = 0;
    try {
      for await (const digests of scanDigests(now, signal)) {
        const count = digests.length / DIGEST_BYTES;
        if (block + count > blocks) throw miscounted(now, blocks, sizeBytes);
        const these = wordsOf(digests);
        const those = former === undefined ? undefined : wordsOf(await former.take(count));
        for (let index = 0; index < count; index += 1) {
          const at = index * WORDS;
          if (those === undefined || !areEqual(these, at, those, at))
            kinds.#set(block + index, areEqual(these, at, zero, 0) ? ZERO : DATA);
        }
        block += count;
      }
      if (block !== blocks) throw miscounted(now, blocks, sizeBytes);
      await former?.expectEnd();
    } finally {
      await former?.close();
    }
    return kinds;
  }

  /** All blocks that did not stay as they are in the base. */
  *extents(): Generator<Extent, void, undefined> {
    const held: Extent[] = [];
    for (let block = 0, offset = 0; offset < this.#sizeBytes; block += 1, offset += this.#blockBytes) {
      const kind = (this.#bits[block >> 2]! >> ((block & 3) * 2)) & 3;
      if (kind === UNCHANGED) continue;
      appendExtent(held, {
        offset,
        length: Math.min(this.#blockBytes, this.#sizeBytes - offset),
        kind: kind === ZERO ? 'zero' : 'data',
      });
      const done = held.length > 1 ? held.shift() : undefined;
      if (done !== undefined) yield done;
    }
    yield* held;
  }

  #set(block: number, kind: number): void {
    this.#bits[block >> 2]! |= kind << ((block & 3) * 2);
  }
}

/** The digests of a file in the numbers in which they are asked for. */
class DigestQueue {
  readonly #file: StoredDigests;
  readonly #blocks: number;
  readonly #digests: AsyncGenerator<Buffer, number, undefined>;
  #held: Buffer = Buffer.alloc(0);

  constructor(file: StoredDigests, blocks: number, signal: AbortSignal) {
    this.#file = file;
    this.#blocks = blocks;
    this.#digests = scanDigests(file, signal);
  }

  async take(count: number): Promise<Buffer> {
    const wanted = Buffer.allocUnsafeSlow(count * DIGEST_BYTES);
    for (let filled = 0; filled < wanted.length;) {
      if (this.#held.length === 0) {
        const next = await this.#digests.next();
        if (next.done === true) throw miscounted(this.#file, this.#blocks);
        this.#held = next.value;
      }
      const used = this.#held.copy(wanted, filled);
      this.#held = this.#held.subarray(used);
      filled += used;
    }
    return wanted;
  }

  /** That the file is whole is known only at its end. */
  async expectEnd(): Promise<void> {
    if (this.#held.length > 0 || (await this.#digests.next()).done !== true) throw miscounted(this.#file, this.#blocks);
  }

  async close(): Promise<void> {
    await this.#digests.return(0);
  }
}

function wordsOf(digests: Buffer): Int32Array {
  const aligned = digests.byteOffset % 4 === 0 ? digests : Buffer.from(Uint8Array.from(digests).buffer);
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
}

function areEqual(one: Int32Array, at: number, other: Int32Array, otherAt: number): boolean {
  for (let word = 0; word < WORDS; word += 1) if (one[at + word] !== other[otherAt + word]) return false;
  return true;
}

function miscounted(file: StoredDigests, blocks: number, sizeBytes = blocks * file.blockBytes): CausewayError {
  return new CausewayError(
    'source.backup-unreadable',
    `${file.name}: it does not have ${blocks} digests of ${file.blockBytes} bytes each, for a volume of ${sizeBytes} bytes`,
  );
}
