import type { LedgerItem } from '../../../shared/model/ledger.ts';
import type { Owners } from './use-owners.ts';

/** The ledger for a spreadsheet: RFC 4180, times as they are stored. */
export function ledgerCsv(items: readonly LedgerItem[], owners: Owners): string {
  const rows = items.map((item) => [
    item.endpointName ?? item.endpointId,
    item.kind,
    item.name,
    item.resourceId ?? '',
    owners(item).words,
    item.state,
    item.orphan ?? '',
    item.createdAt,
  ]);
  return [['endpoint', 'kind', 'name', 'id', 'belongs to', 'state', 'orphan', 'since'], ...rows]
    .map((row) => `${row.map(field).join(',')}\r\n`)
    .join('');
}

/** A field that begins like a formula would be one in a spreadsheet. */
function field(value: string): string {
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
