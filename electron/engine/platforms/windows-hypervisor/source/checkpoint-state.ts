import { isJsonObject, type JsonObject } from '../../../../../shared/model/json.ts';
import type { PlatformUse } from '../../../ports/platform-context.ts';
import type { Snapshot } from '../../../ports/source-platform.ts';
import type { Checkpoint, DiskFile } from '../control/answers.ts';

/** What is kept of a disk in a snapshot's state. */
export interface DiskMark {
  /** The frozen file. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly format: string;
  readonly slot: string;
  /** The file's own name in the VM, without what checkpoints add: a disk that was moved has another. */
  readonly place: string;
  /** Tracking id of the base, since which the changes of the disk are known. */
  readonly trackingId: string | undefined;
}

export function markDisk(mark: DiskMark): JsonObject {
  const { trackingId, ...rest } = mark;
  return trackingId === undefined ? rest : { ...rest, trackingId };
}

export function diskMark(snapshot: Snapshot, diskId: string): DiskMark | undefined {
  const disks = snapshot.state['disks'];
  const mark = disks !== undefined && isJsonObject(disks) && Object.hasOwn(disks, diskId) ? disks[diskId] : undefined;
  if (mark === undefined || !isJsonObject(mark)) return undefined;
  const { path, sizeBytes, format, slot, place, trackingId } = mark;
  if (typeof path !== 'string' || typeof sizeBytes !== 'number') return undefined;
  return {
    path,
    sizeBytes,
    format: String(format ?? ''),
    slot: String(slot ?? diskId),
    place: String(place ?? ''),
    trackingId: typeof trackingId === 'string' ? trackingId : undefined,
  };
}

/** What a promoted snapshot left on the host. */
export interface BaseMark {
  readonly referencePointId: string;
  /** By id of the disk. */
  readonly trackingIds: Readonly<Record<string, string>>;
}

export function baseMark(snapshot: Snapshot | undefined): BaseMark | undefined {
  const mark = snapshot?.state['referencePoint'];
  if (mark === undefined || mark === null || !isJsonObject(mark) || typeof mark['id'] !== 'string') return undefined;
  const ids = mark['trackingIds'];
  const known =
    ids !== undefined && isJsonObject(ids)
      ? Object.entries(ids).flatMap(([disk, id]) => (typeof id === 'string' ? [[disk, id] as const] : []))
      : [];
  return { referencePointId: mark['id'], trackingIds: Object.fromEntries(known) };
}

/** The frozen file is the disk's own or, with checkpoints of other people below, a differencing file beside it. */
export function placeOf(path: string): string {
  return path
    .replace(/(?:_[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|-AutoRecovery)+(?=\.avhdx?$)/i, '')
    .replace(/\.a(vhdx?)$/i, '.$1')
    .toLowerCase();
}

/** Why what was tracked since the base may not be all that changed of a disk; undefined if it is. */
export function breakOf(
  base: DiskMark,
  { path, chain, sizeBytes }: Pick<DiskFile, 'path' | 'chain' | 'sizeBytes'>,
): string | undefined {
  if (base.sizeBytes !== sizeBytes) return `changed its size from ${base.sizeBytes} to ${sizeBytes} bytes`;
  if (base.place !== placeOf(path)) return 'was moved';
  // What the VM wrote after the base went on from the base's file, unless an older checkpoint was applied or the file was merged into another one.
  const continues = [path, ...chain].some((each) => each.toLowerCase() === base.path.toLowerCase());
  return continues
    ? undefined
    : 'no longer builds on the file that the last execution read: a checkpoint was applied or removed';
}

const prefix = 'Causeway ';

export const checkpointName = (tag: string): string => `${prefix}${tag}`;

/** Says what a checkpoint is for, so that a leftover is known as one. */
export function checkpointNotes(use: PlatformUse | undefined, owner: string | undefined): string {
  return [
    'managed-by=causeway',
    `replica=${use?.replicaId ?? ''}`,
    `execution=${use?.executionId ?? ''}`,
    `owner=${owner ?? ''}`,
  ].join(' ');
}

const noteOf = ({ notes }: Pick<Checkpoint, 'notes'>, name: string): string | undefined =>
  new RegExp(`(?:^| )${name}=(\\S+)`).exec(notes)?.[1];

export interface OwnCheckpoint {
  readonly tag: string;
  readonly replicaId: string | undefined;
  readonly executionId: string | undefined;
  readonly owner: string | undefined;
}

/** Whether Causeway took the checkpoint, and what for. */
export function ownCheckpoint(checkpoint: Pick<Checkpoint, 'name' | 'notes'>): OwnCheckpoint | undefined {
  if (!checkpoint.name.startsWith(prefix) || noteOf(checkpoint, 'managed-by') !== 'causeway') return undefined;
  return {
    tag: checkpoint.name.slice(prefix.length),
    replicaId: noteOf(checkpoint, 'replica'),
    executionId: noteOf(checkpoint, 'execution'),
    owner: noteOf(checkpoint, 'owner'),
  };
}

/** One of this replica that belongs to another execution: that one is over, as there is one at a time. */
export function isLeftover(checkpoint: Checkpoint, { replicaId, executionId }: PlatformUse): boolean {
  const own = ownCheckpoint(checkpoint);
  return own !== undefined && own.replicaId === replicaId && own.executionId !== executionId;
}
