import type { StoredRecord } from './journal-record.ts';

/**
 * The records of a journal, read from its start, that can be applied: a member that ended before all that it knew was there has begun nothing,
 * and the next one begins again. Empty where no beginning is complete.
 */
export function begun(records: readonly StoredRecord[]): readonly StoredRecord[] {
  for (let from = 0; from < records.length;) {
    const record = records[from]!.record;
    const next = records.findIndex(({ record: { kind } }, index) => index > from && kind === 'epoch');
    const following = (next === -1 ? records.length : next) - from - 1;
    if (record.kind !== 'epoch' || record.begins === undefined || following >= record.begins)
      return records.slice(from);
    if (next === -1) return [];
    from = next;
  }
  return [];
}
