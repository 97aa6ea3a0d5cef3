import { isJsonObject, type JsonObject } from '../../../../../shared/model/json.ts';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Snapshot } from '../../../ports/source-platform.ts';
import { placeOf, type VirtualDisk } from './vm-devices.ts';

/** What is kept of a disk in a snapshot's state. Of a base nothing else is left: it needs nothing on the platform. */
export interface DiskMark {
  readonly key: number;
  readonly label: string;
  readonly sizeBytes: number;
  readonly attachment: VirtualDisk['attachment'];
  readonly uuid: string | undefined;
  readonly changeId: string | undefined;
  /** The uuid of change tracking that is known to miss changes. */
  readonly distrustedTracking: string | undefined;
  readonly isEncrypted: boolean;
  /** The snapshot does not contain it: it is read as the VM that is off has it. */
  readonly isIndependent: boolean;
  /** Datastore and folder. */
  readonly place: string | undefined;
  /** Whether the server's list of areas in use is complete. */
  readonly areasAreKnown: boolean;
}

/** The disk as plain data. */
export function markDisk(
  { key, label, sizeBytes, attachment, uuid, changeId, fileName, isEncrypted, isIndependent }: VirtualDisk,
  distrustedTracking: string | undefined,
  areasAreKnown: boolean,
): JsonObject {
  const place = placeOf(fileName);
  return {
    key,
    label,
    sizeBytes,
    attachment,
    ...(uuid === undefined ? {} : { uuid }),
    ...(changeId === undefined ? {} : { changeId }),
    ...(distrustedTracking === undefined ? {} : { distrustedTracking }),
    ...(isEncrypted ? { isEncrypted } : {}),
    ...(isIndependent ? { isIndependent } : {}),
    ...(place === undefined ? {} : { place: `[${place.datastore}] ${place.folder}` }),
    ...(areasAreKnown ? { areasAreKnown } : {}),
  };
}

export function diskMark(snapshot: Snapshot, diskId: string): DiskMark | undefined {
  const disks = snapshot.state['disks'];
  const mark = disks !== undefined && isJsonObject(disks) && Object.hasOwn(disks, diskId) ? disks[diskId] : undefined;
  if (mark === undefined || !isJsonObject(mark)) return undefined;
  const { key, label, sizeBytes } = mark;
  if (typeof key !== 'number' || typeof sizeBytes !== 'number') return undefined;
  const attached = isJsonObject(mark['attachment'] ?? null) ? (mark['attachment'] as JsonObject) : {};
  const attachment = {
    controllerType: String(attached['controllerType'] ?? ''),
    busNumber: Number(attached['busNumber'] ?? 0),
    unitNumber: Number(attached['unitNumber'] ?? 0),
  };
  const text = (name: string): string | undefined => (typeof mark[name] === 'string' ? mark[name] : undefined);
  return {
    key,
    sizeBytes,
    attachment,
    label: typeof label === 'string' ? label : diskId,
    uuid: text('uuid'),
    changeId: text('changeId'),
    distrustedTracking: text('distrustedTracking'),
    isEncrypted: mark['isEncrypted'] === true,
    isIndependent: mark['isIndependent'] === true,
    place: text('place'),
    areasAreKnown: mark['areasAreKnown'] === true,
  };
}

/** Whether disks were replicated that the snapshot does not contain. */
export function hasIndependentDisks(snapshot: Snapshot): boolean {
  return snapshot.disks.some(({ diskId }) => diskMark(snapshot, diskId)?.isIndependent === true);
}

/** The snapshot's object on the platform. */
export function snapshotIdOf(snapshot: Snapshot): string {
  const id = snapshot.state['snapshot'];
  if (typeof id === 'string') return id;
  throw new CausewayError('general.bug', `the snapshot ${snapshot.tag} was not taken by this platform`);
}

/** Where the VM's history stood when a snapshot was taken: the task that took it, and whether the VM was running. */
export function historyMark(snapshot: Snapshot): {
  readonly creationTask: string | undefined;
  readonly wasRunning: boolean;
} {
  const { creationTask, wasRunning } = snapshot.state;
  return {
    creationTask: typeof creationTask === 'string' ? creationTask : undefined,
    wasRunning: wasRunning !== false,
  };
}

/** Why the changes between its base and this snapshot can't be trusted. */
export function gapOf(snapshot: Snapshot): string | undefined {
  const gap = snapshot.state['gap'];
  return typeof gap === 'string' ? gap : undefined;
}
