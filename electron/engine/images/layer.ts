import type { ByteCache } from './byte-cache.ts';
import type { ImageFormat } from './detect.ts';
import type { ImageBytes, ImageFile } from './image-bytes.ts';
import type { ReferenceStyle } from './reference.ts';

/** A compressed unit of an image. */
export interface PackedUnit {
  /** Unique within the disk's chain. */
  readonly key: string;
  /** Reads and unpacks it. The result is at least as long as the runs that refer to it need. */
  load(): Promise<Buffer>;
}

/**
 * Where bytes of a disk are. `below`: not in this layer, but in the one that it is based on (zero when there is none).
 * `stored`: as they are, in `file` at `at`; with `mayBeHoles`, the format itself knows nothing of zeros there.
 * `packed`: in a compressed unit, `skip` bytes from its start.
 */
export type Run =
  | { readonly kind: 'zero' | 'below'; readonly length: number }
  | {
      readonly kind: 'stored';
      readonly length: number;
      readonly file: ImageBytes;
      readonly at: number;
      readonly mayBeHoles?: true;
    }
  | { readonly kind: 'packed'; readonly length: number; readonly skip: number; readonly unit: PackedUnit };

/** One image file (with its extents), without what it is based on. */
export interface Layer {
  /** Size of the disk in bytes, as the image says; not always whole sectors. */
  readonly sizeBytes: number;
  /**
   * The runs from `offset` on, in order and joining: at least one, and no more than `length` bytes, of which it may
   * cover only the start. Needs a bounded amount of work and memory.
   * @throws CausewayError source.image-unreadable, source.read-failed
   */
  runs(offset: number, length: number): Promise<readonly Run[]>;
}

/** What the readers of formats share: memory-bounded caches of one disk. */
export interface LayerContext {
  readonly tables: ByteCache;
}

/** The image that another one is based on, as that one names it. */
export interface ParentReference {
  readonly name: string;
  readonly style: ReferenceStyle;
  /** Unset: as its content tells. */
  readonly format?: ImageFormat;
  /** @throws CausewayError source.image-unreadable when the image of that name is another one */
  readonly verify?: (parent: OpenedLayer) => void;
}

export interface OpenedLayer {
  readonly file: ImageFile;
  readonly format: ImageFormat;
  readonly layer: Layer;
  /** What images that are based on this one know it by, in the spelling of the format. */
  readonly identity?: string;
  readonly parent?: ParentReference;
}

/** Opens a file that the image names. */
export type OpenNamed = (name: string, style: ReferenceStyle) => Promise<ImageFile>;

/** Collects runs and joins those that continue each other. */
export class RunList {
  readonly runs: Run[] = [];
  length = 0;

  add(run: Run): void {
    this.length += run.length;
    const last = this.runs.at(-1);
    const joined = last === undefined ? undefined : join(last, run);
    if (joined === undefined) this.runs.push(run);
    else this.runs[this.runs.length - 1] = joined;
  }
}

function join(one: Run, next: Run): Run | undefined {
  if ((one.kind === 'zero' || one.kind === 'below') && one.kind === next.kind)
    return { kind: one.kind, length: one.length + next.length };
  if (
    one.kind === 'stored' &&
    next.kind === 'stored' &&
    one.file === next.file &&
    one.at + one.length === next.at &&
    one.mayBeHoles === next.mayBeHoles
  ) {
    return { ...one, length: one.length + next.length };
  }
  return undefined;
}
