import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { OpenedFile } from './file-access.ts';
import { unreadable } from './image-errors.ts';
import type { ByteRange } from './stored-ranges.ts';

/** A part of a file in bytes: a whole image, or a member of a tar archive. */
export interface FileRange {
  readonly offset: number;
  readonly size: number;
}

/** The bytes of one image file. */
export interface ImageBytes {
  /** The file's name in messages. */
  readonly name: string;
  readonly sizeBytes: number;
  /** The file takes much less room than its size: its holes are worth a look. */
  readonly isSparse: boolean;
  /** The parts that are no holes, in order; undefined where that can't be told. @throws the signal's reason */
  storedRanges?(signal: AbortSignal): Promise<readonly ByteRange[] | undefined>;
  /** Fills `into` with the bytes at `at`. @throws CausewayError source.image-unreadable beyond the end, source.read-failed */
  read(at: number, into: Uint8Array): Promise<void>;
}

/** A file that the system has open. Its size is what it was then: a file that shrinks fails its reads. */
export class ImageFile implements ImageBytes {
  readonly name: string;
  /** The real path. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly isSparse: boolean;
  readonly #file: OpenedFile;
  readonly #start: number;
  #stored: Promise<readonly ByteRange[] | undefined> | undefined;

  constructor(file: OpenedFile, path: string, name: string, range?: FileRange) {
    this.#file = file;
    this.path = path;
    this.name = name;
    this.#start = range?.offset ?? 0;
    this.sizeBytes = range?.size ?? file.sizeBytes;
    this.isSparse = file.allocatedBytes <= file.sizeBytes / 2;
    if (this.#start + this.sizeBytes > file.sizeBytes) throw unreadable(name, 'it is cut short');
  }

  /** Asked once: below an overlay, a disk has many parts of one file. */
  storedRanges(signal: AbortSignal): Promise<readonly ByteRange[] | undefined> {
    const asked = (this.#stored ??= this.#storedRanges(signal));
    return asked.catch((error: unknown) => {
      if (this.#stored === asked) this.#stored = undefined;
      throw error;
    });
  }

  async #storedRanges(signal: AbortSignal): Promise<readonly ByteRange[] | undefined> {
    const ranges = await this.#file.storedRanges?.(signal);
    const [from, to] = [this.#start, this.#start + this.sizeBytes];
    return ranges
      ?.filter(([start, end]) => end > from && start < to)
      .map(([start, end]) => [Math.max(start, from) - from, Math.min(end, to) - from]);
  }

  async read(at: number, into: Uint8Array): Promise<void> {
    if (!(at >= 0 && at + into.length <= this.sizeBytes)) {
      throw unreadable(
        this.name,
        `it refers to ${into.length} bytes at offset ${at}, but is ${this.sizeBytes} bytes long (cut short or damaged)`,
      );
    }
    for (let got = 0; got < into.length;) {
      const count = await this.#file
        .read(got === 0 ? into : into.subarray(got), this.#start + at + got)
        .catch((error: unknown) => {
          throw new CausewayError(
            'source.read-failed',
            `${this.name} at offset ${at}: ${error instanceof Error ? error.message : String(error)}`,
            { cause: error },
          );
        });
      if (count === 0)
        throw new CausewayError('source.changed-while-reading', `${this.path} became shorter`, {
          details: { path: this.path },
        });
      got += count;
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** Bytes of a header or table. The caller bounds `length`. */
export async function bytesAt(file: ImageBytes, at: number, length: number): Promise<Buffer> {
  if (!Number.isSafeInteger(at) || at + length > file.sizeBytes) {
    throw unreadable(
      file.name,
      `a table of ${length} bytes at offset ${at} is outside the file (cut short or damaged)`,
    );
  }
  const bytes = Buffer.allocUnsafe(length);
  await file.read(at, bytes);
  return bytes;
}

/** Up to `length` bytes at `at`: fewer where the file ends. */
export function bytesUpTo(file: ImageBytes, at: number, length: number): Promise<Buffer> {
  return bytesAt(file, at, Math.max(0, Math.min(length, file.sizeBytes - at)));
}

/** A 64-bit number of a header as a number. @throws CausewayError source.image-unreadable */
export function safeNumber(value: bigint, file: ImageBytes, what: string): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER) || value < 0n)
    throw unreadable(file.name, `${what} is ${value}, which is not valid`);
  return Number(value);
}

/** @throws CausewayError source.image-unreadable unless `value` is a power of two in the range */
export function powerOfTwo(value: number, low: number, high: number, file: ImageBytes, what: string): number {
  if (!(value >= low && value <= high) || !Number.isInteger(Math.log2(value)))
    throw unreadable(file.name, `${what} is ${value} (a power of two from ${low} to ${high} is valid)`);
  return value;
}
