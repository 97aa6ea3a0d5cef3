import type { EndpointCheck, LedgerItem } from '../../../shared/model/ledger.ts';
import { table } from './table.ts';

/** The ledger for people. */
export function ledgerTable(items: readonly LedgerItem[]): string {
  return table(
    ['kind', 'lifetime', 'state', 'name', 'resource', 'endpoint', 'orphan', 'created by', 'entry'],
    items.map((item) => [item.kind, item.lifetime, item.state, item.name, item.resourceId, item.endpointName ?? item.endpointId, item.orphan, item.madeBy, item.entryId]),
  );
}

/** The endpoints that could not be checked, one per line; empty if there are none. */
export function uncheckedText(endpoints: readonly EndpointCheck[]): string {
  return endpoints
    .filter(({ outcome }) => outcome === 'not-checked')
    .map(({ endpointName, side, error }) => `Not checked: ${endpointName} (${side})${error === undefined ? '' : `: ${error.message} (${error.code})`}\n`)
    .join('');
}
