import type { QmpCarrier } from '../../qmp/qmp-carrier.ts';
import { addNewBitmaps, disableBaseBitmaps } from './bitmap-actions.ts';
import { blockNodeNames } from './block-nodes.ts';
import type { Fleecing } from './fleecing.ts';
import { createOverlay, deleteNode } from './overlay.ts';
import { objectAt, objectsOf, textAt } from './qmp-values.ts';
import type { VmDisk } from './vm-disks.ts';

/** A guest's write waits for the scratch storage no longer than this; then the snapshot is given up. Seconds. */
const SCRATCH_TIMEOUT = 30;

/**
 * QEMU 7.1 and newer: a copy-before-write filter between the device and its disk. When the scratch storage fails or is
 * full, the snapshot breaks and the guest goes on unharmed; the filter's access node tells by refusing reads.
 *
 * The content is read through the overlay on top of the disk, never through the access node: in QEMU 7.2 a read of the
 * latter that spans overwritten and untouched parts gives the disk as it is now (seen; reads within 64 KiB are right).
 *
 * The order makes a gap impossible: the new bitmap records before the filter is in, the base's bitmap until after. What
 * is recorded in both is read once more than needed, at worst. The caller pauses the VM around this when it has more
 * than one disk, so that they are of one moment.
 */
export const filterFleecing: Fleecing = {
  kind: 'filter',

  needsPause: true,

  async prepare(qmp, disks, { scratchFolder }, signal) {
    for (const { disk, names } of disks) {
      await createOverlay(qmp, scratchFolder, names, { sizeBytes: disk.sizeBytes, backing: disk.node }, signal);
      await qmp.execute(
        'blockdev-add',
        {
          driver: 'copy-before-write',
          'node-name': names.filter,
          file: disk.node,
          target: names.overlay,
          'on-cbw-error': 'break-snapshot',
          'cbw-timeout': SCRATCH_TIMEOUT,
          // Otherwise the guest's discards would end here.
          discard: 'unmap',
        },
        signal,
      );
    }
  },

  async begin(qmp, disks, signal) {
    await qmp.execute('transaction', { actions: [...addNewBitmaps(disks)] }, signal);
    for (const { disk, names } of disks) await insert(qmp, disk, names.filter, signal);
    const disable = disableBaseBitmaps(disks);
    if (disable.length > 0) await qmp.execute('transaction', { actions: [...disable] }, signal);
  },

  async expose(qmp, disks, signal) {
    for (const { names } of disks) {
      await qmp.execute(
        'blockdev-add',
        { driver: 'snapshot-access', 'node-name': names.access, file: names.filter },
        signal,
      );
    }
  },

  async isKept(qmp, names, signal) {
    const inserted = objectsOf(await qmp.execute('query-block', {}, signal)).map((device) =>
      textAt(objectAt(device, 'inserted'), 'node-name'),
    );
    return inserted.includes(names.filter) && (await blockNodeNames(qmp, signal)).has(names.access);
  },

  async end(qmp, disks, allNames, signal) {
    for (const names of allNames) {
      const nodes = await blockNodeNames(qmp, signal);
      // While the access node is there, the filter keeps writers away from the disk.
      if (nodes.has(names.access)) await deleteNode(qmp, names.access, signal);
      const disk = disks.find((candidate) => candidate.filter === names.filter);
      if (disk !== undefined) await insert(qmp, disk, disk.node, signal);
      if (nodes.has(names.filter)) await deleteNode(qmp, names.filter, signal);
    }
  },
};

async function insert(qmp: QmpCarrier, disk: VmDisk, node: string, signal: AbortSignal): Promise<void> {
  await qmp.execute('qom-set', { path: disk.qdev, property: 'drive', value: node }, signal);
}
