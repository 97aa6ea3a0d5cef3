import { detachCopy } from '../../../cloud-resources/own-vm.ts';
import { deleteResource, findResourceOf } from '../../../cloud-resources/resource-deletion.ts';
import type { LedgerEntry } from '../../../ports/ledger.ts';
import { cloudApi } from './mechanisms/export-worker/cloud-api.ts';
import { findSnapshots, removeSnapshots } from './snapshots.ts';
import { ledgerOf, type SourceContext } from './source-context.ts';

/** Removes one recorded resource of any kind. Missing counts as removed. */
export async function removeRecorded(context: SourceContext, entry: LedgerEntry, signal: AbortSignal): Promise<void> {
  if (entry.kind === 'volume-snapshot') return removeSnapshots(context, entry, signal);
  const cloud = cloudApi(context);
  await detachCopy(cloud, ledgerOf(context), entry, signal);
  return deleteResource(cloud, ledgerOf(context), entry, signal);
}

/** Whether the resource of an entry still exists, by id or tag. */
export function findRecorded(
  context: SourceContext,
  entry: LedgerEntry,
  signal: AbortSignal,
): Promise<{ readonly id: string } | undefined> {
  return entry.kind === 'volume-snapshot'
    ? findSnapshots(context, entry, signal)
    : findResourceOf(cloudApi(context), entry, signal);
}
