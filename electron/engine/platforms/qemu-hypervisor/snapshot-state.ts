import { isJsonObject, type JsonObject } from '../../../../shared/model/json.ts';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Snapshot } from '../../ports/source-platform.ts';
import type { FleecedDisk } from './fleecing.ts';

/** What is kept of a disk of a snapshot: which base its changes are known since, and how finely. */
export interface SnapshotDiskState {
  readonly baseTag: string | undefined;
  readonly granularityBytes: number;
}

export interface SnapshotState {
  readonly fleecing: 'filter' | 'job';
  readonly committed: boolean;
  disk(diskId: string): SnapshotDiskState;
}

export function snapshotStateToJson(
  fleecing: 'filter' | 'job',
  disks: readonly FleecedDisk[],
  baseTag: string | undefined,
  granularityOf: (disk: FleecedDisk) => number,
): JsonObject {
  return {
    fleecing,
    disks: Object.fromEntries(
      disks.map((entry) => [
        entry.disk.id,
        { baseTag: entry.baseBitmap === undefined ? null : (baseTag ?? null), granularityBytes: granularityOf(entry) },
      ]),
    ),
  };
}

/** @throws CausewayError general.invalid-input when the record is damaged */
export function snapshotState(snapshot: Snapshot): SnapshotState {
  const { fleecing, disks, committed } = snapshot.state;
  if ((fleecing !== 'filter' && fleecing !== 'job') || disks === undefined || !isJsonObject(disks)) {
    throw new CausewayError('general.invalid-input', `the record of snapshot ${snapshot.tag} is damaged`);
  }
  return {
    fleecing,
    committed: committed === true,
    disk(diskId) {
      const entry = Object.hasOwn(disks, diskId) ? disks[diskId] : undefined;
      if (entry === undefined || !isJsonObject(entry) || typeof entry['granularityBytes'] !== 'number') {
        throw new CausewayError('source.disk-not-found', `snapshot ${snapshot.tag} has no disk ${diskId}`);
      }
      const { baseTag, granularityBytes } = entry;
      return { baseTag: typeof baseTag === 'string' ? baseTag : undefined, granularityBytes };
    },
  };
}
