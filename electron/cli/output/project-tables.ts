import type { KeptMachine } from '../../../shared/inventory/inventory.ts';
import type { EndpointCheck, LedgerItem } from '../../../shared/model/ledger.ts';
import { bytes } from '../../../shared/model/quantities.ts';
import { table } from './print.ts';

/** Machines of a list, with what changed since the import before. */
export function inventoryTable(machines: readonly KeptMachine[]): string {
  return table(
    ['name', 'id', 'os', 'cpus', 'disks', 'size', 'networks', 'state', 'changes'],
    machines.map(({ vm, state, changes }) => [
      vm.name,
      vm.id,
      vm.os_type,
      vm.vcpus ?? '',
      vm.disks.length,
      bytes(vm.disks.reduce((sum, disk) => sum + disk.size_bytes, 0)),
      [...new Set(vm.nics.map(({ network }) => network))].join(', '),
      state,
      (changes ?? []).join('; '),
    ]),
  );
}

/** The ledger for people. */
export function ledgerTable(items: readonly LedgerItem[]): string {
  return table(
    ['kind', 'lifetime', 'state', 'name', 'resource', 'endpoint', 'orphan', 'created by', 'entry'],
    items.map((item) => [
      item.kind,
      item.lifetime,
      item.state,
      item.name,
      item.resourceId,
      item.endpointName ?? item.endpointId,
      item.orphan,
      item.madeBy,
      item.entryId,
    ]),
  );
}

/** The endpoints that could not be checked, one per line; empty if there are none. */
export function uncheckedText(endpoints: readonly EndpointCheck[]): string {
  return endpoints
    .filter(({ outcome }) => outcome === 'not-checked')
    .map(
      ({ endpointName, side, error }) =>
        `Not checked: ${endpointName} (${side})${error === undefined ? '' : `: ${error.message} (${error.code})`}\n`,
    )
    .join('');
}
