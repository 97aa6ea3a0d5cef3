import type { DiskImagesConnection } from '../../../../shared/plugins/disk-images/connection.ts';
import type { PlatformContext } from '../../ports/platform-context.ts';
import type { SourcePlatform } from '../../ports/source-platform.ts';
import { DiskImagesSource } from './disk-images-source.ts';

/** The source for image files in a folder, an OVF, an OVA or a single image. Opens nothing yet. */
export function createDiskImagesSource(connection: DiskImagesConnection, context: PlatformContext): SourcePlatform {
  return new DiskImagesSource(connection, context);
}
