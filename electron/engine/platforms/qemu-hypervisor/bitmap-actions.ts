import type { JsonObject } from '../../../../shared/model/json.ts';
import type { FleecedDisk } from './fleecing.ts';
import type { Bitmap, VmDisk } from './vm-disks.ts';

/** Actions of QMP's `transaction` on the bitmaps of all disks of a snapshot. */

export function addNewBitmaps(disks: readonly FleecedDisk[]): readonly JsonObject[] {
  return disks.map(({ disk, newBitmap }) => ({
    type: 'block-dirty-bitmap-add',
    data: {
      node: disk.node,
      name: newBitmap.name,
      persistent: newBitmap.persistent,
      granularity: newBitmap.granularity,
    },
  }));
}

export function disableBaseBitmaps(disks: readonly FleecedDisk[]): readonly JsonObject[] {
  return disks.flatMap(({ disk, baseBitmap }) =>
    baseBitmap === undefined
      ? []
      : [{ type: 'block-dirty-bitmap-disable', data: { node: disk.node, name: baseBitmap } }],
  );
}

/**
 * Takes an abandoned snapshot's bitmaps back: what they recorded is added to the base's, which goes on recording. Where
 * a bitmap can't be trusted, the base's goes too, so that the next run reads the whole disk and misses nothing.
 */
export function mergeBack(
  disks: readonly VmDisk[],
  newName: string,
  baseName: string | undefined,
): readonly JsonObject[] {
  return disks.flatMap((disk) => {
    const added = findBitmap(disk, newName);
    if (added === undefined) return [];
    const base = baseName === undefined ? undefined : findBitmap(disk, baseName);
    const remove = (name: string) => ({ type: 'block-dirty-bitmap-remove', data: { node: disk.node, name } });
    if (base === undefined) return [remove(newName)];
    if (added.inconsistent || base.inconsistent || !added.recording) return [remove(newName), remove(base.name)];
    return [
      { type: 'block-dirty-bitmap-enable', data: { node: disk.node, name: base.name } },
      { type: 'block-dirty-bitmap-merge', data: { node: disk.node, target: base.name, bitmaps: [newName] } },
      remove(newName),
    ];
  });
}

export function removeBitmaps(disks: readonly VmDisk[], name: string): readonly JsonObject[] {
  return disks.flatMap((disk) =>
    findBitmap(disk, name) === undefined
      ? []
      : [{ type: 'block-dirty-bitmap-remove', data: { node: disk.node, name } }],
  );
}

export function findBitmap(disk: VmDisk, name: string): Bitmap | undefined {
  return disk.bitmaps.find((bitmap) => bitmap.name === name);
}

/**
 * The base's bitmap of a disk if it tells for sure what changed since the base: it is there, recorded all the time, is
 * consistent, and the disk has the size that it had.
 */
export function usableBase(disk: VmDisk, baseName: string, baseSizeBytes: number | undefined): Bitmap | undefined {
  const bitmap = findBitmap(disk, baseName);
  if (bitmap === undefined || !bitmap.recording || bitmap.inconsistent || bitmap.busy) return undefined;
  return disk.sizeBytes === baseSizeBytes ? bitmap : undefined;
}
