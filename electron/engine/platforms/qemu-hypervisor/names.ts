import { createHash } from 'node:crypto';

const BITMAP_PREFIX = 'causeway-';

/** The bitmap that records what changes after the snapshot with this tag. The tag can be read from it. */
export function bitmapName(tag: string): string {
  return BITMAP_PREFIX + (/^[\w.:-]{1,200}$/.test(tag) ? tag : createHash('sha256').update(tag).digest('hex'));
}

/** Names of what a snapshot needs in QEMU while it lives, for one disk; short, as node names have at most 31 characters. */
export interface SnapshotNames {
  readonly overlayFile: string;
  readonly overlay: string;
  readonly filter: string;
  readonly access: string;
  readonly job: string;
  readonly exportId: string;
  /** Export of the filter's access node, which refuses reads once the snapshot is broken. */
  readonly probeExportId: string;
}

export function snapshotNames(tag: string, diskId: string): SnapshotNames {
  const key = createHash('sha256')
    .update(JSON.stringify([tag, diskId]))
    .digest('hex')
    .slice(0, 20);
  return {
    overlayFile: `cwy-f-${key}`,
    overlay: `cwy-o-${key}`,
    filter: `cwy-c-${key}`,
    access: `cwy-a-${key}`,
    job: `cwy-j-${key}`,
    exportId: `cwy-e-${key}`,
    probeExportId: `cwy-p-${key}`,
  };
}

export function isFilterNode(node: string): boolean {
  return /^cwy-c-[0-9a-f]{20}$/.test(node);
}

/** Name of the overlay's file in the scratch folder. */
export function overlayFileName(names: SnapshotNames): string {
  return `${names.overlay}.qcow2`;
}
