import { byIdOrOnlyName } from '../../../../shared/inventory/by-id-or-only-name.ts';
import type { InventoryMachine } from '../../../../shared/inventory/inventory.ts';
import type { Replica } from '../../../../shared/model/replica.ts';
import { inventoryFiles } from '../../inventory/inventory-files.ts';
import type { CoreContext } from '../core-context.ts';
import { projectFolderOf } from '../replica-environments.ts';

/** What the project's lists have of a replica's VM: by its ID, or by a name that only one machine has. */
export function listedMachines(core: CoreContext): (replica: Replica) => InventoryMachine | undefined {
  const machines = inventoryFiles(projectFolderOf(core))
    .list()
    .flatMap((list) => list.machines);
  const find = byIdOrOnlyName(
    machines,
    ({ vm }) => vm.id,
    ({ vm }) => vm.name,
  );
  return ({ vmId, vmName }) => find(vmId, vmName);
}
