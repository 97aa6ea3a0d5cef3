import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { isJsonObject } from '../../../../../shared/model/json.ts';
import type { Snapshot } from '../../../ports/source-platform.ts';
import type { DiskMark, MarkedDisk } from './source-context.ts';

/** A text of a disk's mark. @throws `general.bug` */
export function markText(mark: DiskMark, key: string): string {
  const value = mark[key];
  if (typeof value === 'string') return value;
  throw new CausewayError('general.bug', `the record of a disk has no ${key}`);
}

/** The disks of a snapshot with their marks. */
export function markedDisks(snapshot: Snapshot): readonly MarkedDisk[] {
  const marks = snapshot.state['disks'];
  return snapshot.disks.map(({ diskId, sizeBytes }) => {
    const mark = marks !== undefined && isJsonObject(marks) ? marks[diskId] : undefined;
    if (mark === undefined || !isJsonObject(mark))
      throw new CausewayError('source.snapshot-lost', `the snapshot ${snapshot.tag} has no record of disk ${diskId}`);
    return { diskId, sizeBytes, mark };
  });
}
