import type { LedgerEntry, LedgerScope, ResourceKind } from '../../../ports/ledger.ts';

const belongsTo = (entry: LedgerEntry, tag: string): boolean => entry.key.startsWith(`${tag}/`);

/** What the source recorded for a snapshot (`of`), or for all others of the replica (`notOf`); the last one first. */
export function recordedOf(
  ledger: LedgerScope,
  filter: { readonly kind?: ResourceKind; readonly of?: string; readonly notOf?: string },
): readonly LedgerEntry[] {
  return ledger
    .list(filter.kind === undefined ? {} : { kind: filter.kind })
    .filter(
      (entry) =>
        (filter.of === undefined || belongsTo(entry, filter.of)) &&
        (filter.notOf === undefined || !belongsTo(entry, filter.notOf)),
    )
    .reverse();
}
