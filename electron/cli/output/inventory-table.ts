import type { KeptMachine } from '../../../shared/inventory/inventory.ts';
import { bytes } from '../../../shared/model/quantities.ts';
import { table } from './table.ts';

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
