import { mergeBack } from './bitmap-actions.ts';
import type { VmEndpoint } from './endpoints.ts';
import { filterFleecing } from './fleecing-filter.ts';
import { jobFleecing } from './fleecing-job.ts';
import { bitmapName, snapshotNames } from './names.ts';
import { removeExports, stopUnusedNbdServer } from './nbd-exports.ts';
import { removeOverlay } from './overlay.ts';
import { readDisks } from './vm-disks.ts';

/**
 * Takes away what QEMU holds for reading a snapshot: exports, filters, jobs, overlays. The bitmaps stay. Idempotent.
 * `diskIds` are those of the snapshot's record, for disks that were detached in the meantime.
 */
export async function releaseSnapshot(
  vm: VmEndpoint,
  tag: string,
  diskIds: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { qmp } = vm;
  const disks = await readDisks(qmp, signal);
  const names = [...new Set([...disks.map((disk) => disk.id), ...diskIds])].map((diskId) => snapshotNames(tag, diskId));
  const removed = await removeExports(
    qmp,
    names.flatMap((entry) => [entry.exportId, entry.probeExportId]),
    signal,
  );
  await filterFleecing.end(qmp, disks, names, signal);
  await jobFleecing.end(qmp, disks, names, signal);
  for (const entry of names) await removeOverlay(qmp, vm, entry, signal);
  // A server without exports of Causeway may belong to another program.
  if (removed > 0) await stopUnusedNbdServer(qmp, signal);
}

/** Takes a snapshot back as if it had never been: what it recorded goes back to the base. Idempotent. */
export async function undoSnapshot(
  vm: VmEndpoint,
  tag: string,
  baseTag: string | undefined,
  diskIds: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  await releaseSnapshot(vm, tag, diskIds, signal);
  const disks = await readDisks(vm.qmp, signal);
  const actions = mergeBack(
    disks,
    bitmapName(tag),
    baseTag === undefined || baseTag === tag ? undefined : bitmapName(baseTag),
  );
  if (actions.length > 0) await vm.qmp.execute('transaction', { actions: [...actions] }, signal);
}
