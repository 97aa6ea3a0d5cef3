import type { FileAccess } from '../file-access.ts';
import { ImageDiskReader } from '../image-disk-reader.ts';
import { openImage } from '../open-image.ts';

const CHUNK = 64 * 1024;

/** All bytes of an image by its extents: those of data read, the others zero. At most the first `limitBytes`. */
export async function readImage(
  path: string,
  folder: string,
  access: FileAccess,
  signal: AbortSignal,
  limitBytes = Infinity,
): Promise<Buffer> {
  const reader = new ImageDiskReader(await openImage({ path }, { folder, access }));
  try {
    const bytes = Buffer.alloc(Math.min(reader.sizeBytes, limitBytes), 0xee);
    let end = 0;
    for await (const { offset, length, kind } of reader.extents(signal)) {
      if (offset !== end || length <= 0) throw new Error(`an extent at ${offset} after one that ends at ${end}`);
      end = offset + length;
      if (kind === 'zero') bytes.fill(0, Math.min(offset, bytes.length), Math.min(end, bytes.length));
      else
        for (let at = offset; at < Math.min(end, bytes.length); at += CHUNK)
          await reader.read(at, bytes.subarray(at, Math.min(at + CHUNK, end, bytes.length)), signal);
    }
    if (end !== reader.sizeBytes) throw new Error(`the extents end at ${end} of ${reader.sizeBytes}`);
    return bytes;
  } finally {
    await reader.close();
  }
}
