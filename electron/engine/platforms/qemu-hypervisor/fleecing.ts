import type { QmpCarrier } from '../../qmp/qmp-carrier.ts';
import type { HypervisorHost } from './hypervisor-host.ts';
import type { SnapshotNames } from './names.ts';
import type { VmDisk } from './vm-disks.ts';

/** The folder for overlays, as QEMU sees it, and the machine that it is on. */
export interface ScratchFolder {
  readonly host: HypervisorHost;
  readonly scratchFolder: string;
}

/** A disk of which a snapshot is made. */
export interface FleecedDisk {
  readonly disk: VmDisk;
  readonly names: SnapshotNames;
  /** The bitmap that starts with this snapshot. */
  readonly newBitmap: { readonly name: string; readonly persistent: boolean; readonly granularity: number };
  /** The base's bitmap, which ends with this snapshot; undefined when the base can't be used for this disk. */
  readonly baseBitmap: string | undefined;
}

/**
 * A way to keep a point in time readable while the guest goes on writing. In both, no write falls between the base's
 * bitmap and the new one.
 */
export interface Fleecing {
  readonly kind: 'filter' | 'job';
  /** Gets everything ready that needs no moment. Leaves partial work to `end`. */
  prepare(qmp: QmpCarrier, disks: readonly FleecedDisk[], scratch: ScratchFolder, signal: AbortSignal): Promise<void>;
  /** Makes the point in time and switches the bitmaps. */
  begin(qmp: QmpCarrier, disks: readonly FleecedDisk[], signal: AbortSignal): Promise<void>;
  /** Adds what tells whether the snapshot still holds. */
  expose(qmp: QmpCarrier, disks: readonly FleecedDisk[], signal: AbortSignal): Promise<void>;
  /** Whether `begin` needs a paused VM so that several disks are of one moment. */
  readonly needsPause: boolean;
  /** Whether QEMU still keeps the point in time of this disk. */
  isKept(qmp: QmpCarrier, names: SnapshotNames, signal: AbortSignal): Promise<boolean>;
  /** Takes it away again, whatever of it is there, all but the overlays. The exports are gone before. */
  end(qmp: QmpCarrier, disks: readonly VmDisk[], names: readonly SnapshotNames[], signal: AbortSignal): Promise<void>;
}
