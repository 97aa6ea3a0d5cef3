import { systemFiles } from '../../images/file-access.ts';
import type { ImageBytes } from '../../images/image-bytes.ts';
import { ImageFiles } from '../../images/image-files.ts';

/**
 * Opens a description of a VM (an OVF, an OVA, a vm.yaml) as images are opened: a regular file in the endpoint's folder.
 * @throws CausewayError source.image-unreadable, source.image-refers-outside, source.image-part-missing, and those of `read`
 */
export async function readDescription<T>(
  path: string,
  folder: string,
  read: (file: ImageBytes) => Promise<T>,
): Promise<T> {
  const files = await ImageFiles.within(folder, systemFiles);
  try {
    return await read(await files.openLocation({ path }));
  } finally {
    await files.close();
  }
}
