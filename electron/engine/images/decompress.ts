import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { unreadable } from './image-errors.ts';

const inflateRaw = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);
const inflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate);
/**
 * Units up to this size are unpacked at once, in less than 0.2 ms: handing them to another thread and back costs three times as much
 * processor time, and two thirds of the rate.
 */
const AT_ONCE_BYTES = 128 * 1024;
/** Largest window that a cluster is unpacked with, as a power of two: bounds the memory that an image can ask for. */
const ZSTD_WINDOW = 24;

/** Unpacks a raw deflate stream of exactly `size` bytes; what follows it is ignored. @throws CausewayError source.image-unreadable */
export function unpackDeflate(packed: Buffer, size: number, name: string): Promise<Buffer> {
  const options = { ...sized(size), finishFlush: zlib.constants.Z_SYNC_FLUSH };
  return unpacked(
    () => (size > AT_ONCE_BYTES ? inflateRaw(packed, options) : zlib.inflateRawSync(packed, options)),
    size,
    size,
    name,
  );
}

/** Unpacks a zlib stream of `atLeast` to `atMost` bytes. @throws CausewayError source.image-unreadable */
export function unpackZlib(packed: Buffer, atLeast: number, atMost: number, name: string): Promise<Buffer> {
  return unpacked(
    () => (atMost > AT_ONCE_BYTES ? inflate(packed, sized(atMost)) : zlib.inflateSync(packed, sized(atMost))),
    atLeast,
    atMost,
    name,
  );
}

/** Unpacks a zstd frame of exactly `size` bytes; what follows it is ignored. @throws CausewayError source.image-unreadable */
export async function unpackZstd(packed: Buffer, size: number, name: string): Promise<Buffer> {
  if (typeof zlib.zstdDecompress !== 'function')
    throw unreadable(name, 'it is compressed with zstd, which this runtime does not have');
  const options = { ...sized(size), params: { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW } };
  const frame = packed.subarray(0, zstdFrameLength(packed));
  return unpacked(
    () =>
      size > AT_ONCE_BYTES
        ? promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress)(frame, options)
        : zlib.zstdDecompressSync(frame, options),
    size,
    size,
    name,
  );
}

/** Bounds the result, in one piece: the default of 16 KiB would take a turn of the thread pool for each. */
function sized(size: number): { readonly maxOutputLength: number; readonly chunkSize: number } {
  return { maxOutputLength: size, chunkSize: size + 64 };
}

async function unpacked(
  unpack: () => Buffer | Promise<Buffer>,
  atLeast: number,
  atMost: number,
  name: string,
): Promise<Buffer> {
  let bytes: Buffer;
  try {
    bytes = await unpack();
  } catch (error) {
    throw unreadable(
      name,
      `compressed data is damaged (${error instanceof Error ? error.message : String(error)})`,
      error,
    );
  }
  if (bytes.length < atLeast || bytes.length > atMost)
    throw unreadable(name, `compressed data of ${bytes.length} instead of ${atMost} bytes`);
  return bytes;
}

/** Bytes of the zstd frame at the start, by its headers (RFC 8878); all of them when it is cut short or none. */
export function zstdFrameLength(bytes: Buffer): number {
  if (bytes.length < 5 || bytes.readUInt32LE(0) !== 0xfd2fb528) return bytes.length;
  const descriptor = bytes[4] ?? 0;
  const single = (descriptor & 0x20) !== 0;
  const dictionary = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const contentSize = [single ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  let at = 5 + (single ? 0 : 1) + dictionary + contentSize;
  for (let last = false; !last;) {
    if (at + 3 > bytes.length) return bytes.length;
    const head = bytes.readUIntLE(at, 3);
    last = (head & 1) === 1;
    at += 3 + (((head >> 1) & 3) === 1 ? 1 : head >> 3);
  }
  return Math.min(at + ((descriptor & 4) === 0 ? 0 : 4), bytes.length);
}
