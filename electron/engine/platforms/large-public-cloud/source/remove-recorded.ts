import { deleteResource, findResourceOf } from '../../../cloud-resources/resource-deletion.ts';
import type { LedgerEntry } from '../../../ports/ledger.ts';
import { cloudApi } from './mechanisms/export-worker/cloud-api.ts';
import { findSnapshots, removeSnapshots } from './snapshots.ts';
import { ledgerOf, type SourceContext } from './source-context.ts';

/** Removes one recorded resource of any kind. Missing counts as removed. */
export function removeRecorded(context: SourceContext, entry: LedgerEntry, signal: AbortSignal): Promise<void> {
  return entry.kind === 'volume-snapshot' ? removeSnapshots(context, entry, signal) : deleteResource(cloudApi(context), ledgerOf(context), entry, signal);
}

/** Whether the resource of an entry still exists, by id or tag. */
export function findRecorded(context: SourceContext, entry: LedgerEntry, signal: AbortSignal): Promise<{ readonly id: string } | undefined> {
  return entry.kind === 'volume-snapshot' ? findSnapshots(context, entry, signal) : findResourceOf(cloudApi(context), entry, signal);
}
