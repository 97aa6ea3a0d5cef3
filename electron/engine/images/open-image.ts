import { detectFormat, type ImageFormat } from './detect.ts';
import { ByteCache } from './byte-cache.ts';
import { systemFiles, type FileAccess } from './file-access.ts';
import type { ImageFile } from './image-bytes.ts';
import { refersOutside, shown, unreadable } from './image-errors.ts';
import { ImageFiles, type ImageLocation } from './image-files.ts';
import type { Layer, LayerContext, ParentReference } from './layer.ts';
import { openLayer } from './open-layer.ts';

/** A disk image, open with everything that it is based on. */
export interface OpenImage {
  readonly format: ImageFormat;
  /** Bytes that a guest sees, rounded up to whole sectors of 512 bytes. */
  readonly sizeBytes: number;
  /** Real paths of all files that it consists of, the image first. */
  readonly files: readonly string[];
  /** The image's own layer first. */
  readonly layers: readonly Layer[];
  close(): Promise<void>;
}

export interface OpenImageOptions {
  /** The endpoint's folder: nothing outside of it is opened. */
  readonly folder: string;
  readonly access?: FileAccess;
}

const MAX_CHAIN = 64;
/** Memory for tables of one disk. */
const TABLE_CACHE_BYTES = 32 * 1024 * 1024;

/**
 * Opens a disk image for reading: its headers are read and checked, its tables as they are needed.
 * @throws CausewayError source.image-unreadable, source.image-refers-outside, source.image-part-missing, source.read-failed
 */
export async function openImage(location: ImageLocation, options: OpenImageOptions): Promise<OpenImage> {
  const files = await ImageFiles.within(options.folder, options.access ?? systemFiles);
  try {
    const context: LayerContext = { tables: new ByteCache(TABLE_CACHE_BYTES) };
    const top = await files.openLocation(location);
    const detected = await detectFormat(top);
    let open = references(files, top, detected.isNamedSo, location);
    const chain = [await openLayer(top, detected.format, open, context)];
    const seen = new Set([top.path]);
    for (let parent = chain[0]?.parent; parent !== undefined; parent = chain.at(-1)?.parent) {
      const child = chain.at(-1)?.file ?? top;
      if (chain.length >= MAX_CHAIN) throw unreadable(top.name, `it is based on more than ${MAX_CHAIN} images`);
      const file = await open(parent.name, parent.style);
      if (seen.has(file.path)) throw unreadable(child.name, `it is based on ${shown(file.name)}, which is based on it`);
      seen.add(file.path);
      const found = parent.format === undefined ? await detectFormat(file) : { format: parent.format, isNamedSo: true };
      open = references(files, file, found.isNamedSo);
      const opened = await openLayer(file, found.format, open, context);
      parent.verify?.(opened);
      chain.push(opened);
    }
    const sizeBytes = Math.ceil((chain[0]?.layer.sizeBytes ?? 0) / 512) * 512;
    return {
      format: detected.format,
      sizeBytes,
      files: files.paths,
      layers: chain.map((opened) => opened.layer),
      close: () => files.close(),
    };
  } catch (error) {
    await files.close();
    throw error;
  }
}

/** How an image opens what it names: not at all from within an archive, nor where the guest may have written the name. */
function references(files: ImageFiles, from: ImageFile, isNamedSo: boolean, location?: ImageLocation) {
  return (name: string, style: ParentReference['style']) => {
    if (location?.range !== undefined) throw refersOutside(from.name, name, 'an image in an archive must be complete');
    // A raw disk can hold a header that its guest wrote. It is accepted as long as it refers to no other file.
    if (!isNamedSo)
      throw refersOutside(
        from.name,
        name,
        'the file is not named like an image of this format (rename it if it is one)',
      );
    return files.openReference(from, name, style);
  };
}
