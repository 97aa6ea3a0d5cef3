import type { ImageBytes } from './image-bytes.ts';
import type { Layer } from './layer.ts';

/** Bytes of a file as they are: a raw image, or the data of a fixed one. */
export function rawLayer(file: ImageBytes, at = 0, sizeBytes = file.sizeBytes): Layer {
  return {
    sizeBytes,
    runs: (offset, length) => Promise.resolve([{ kind: 'stored', length, file, at: at + offset, mayBeHoles: true }]),
  };
}
