import type { ImageFormat } from '../../images/detect.ts';
import type { ImageLocation } from '../../images/image-files.ts';
import { openImage } from '../../images/open-image.ts';

export interface ImageFacts {
  readonly format: ImageFormat;
  /** Bytes that a guest sees, rounded up to whole sectors. */
  readonly sizeBytes: number;
  /** Real paths of the files that it consists of, the image first. */
  readonly files: readonly string[];
}

/**
 * What an image's headers say. `folder`: the endpoint's.
 * @throws CausewayError source.image-unreadable, source.image-refers-outside, source.image-part-missing
 */
export async function inspectImage(location: ImageLocation, folder: string): Promise<ImageFacts> {
  const image = await openImage(location, { folder });
  await image.close();
  return { format: image.format, sizeBytes: image.sizeBytes, files: image.files };
}
