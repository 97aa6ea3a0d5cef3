import { compareInventories } from '../../../../shared/inventory/compare-inventories.ts';
import type { Inventory } from '../../../../shared/inventory/inventory.ts';
import { inventoryFiles, type InventoryFiles } from '../../inventory/inventory-files.ts';
import { readMachines } from '../../inventory/read-machines.ts';
import { endpointOf, openSource, using, type CallsOf, type CoreContext, type Handlers } from '../core-context.ts';
import { projectFolderOf } from '../replica-environments.ts';

/** Lists of machines that the project keeps, from files and from endpoints. */
export const inventoryCalls: Handlers<CallsOf<'inventory'>> = {
  async 'inventory.list'(core) {
    return filesOf(core).list();
  },

  async 'inventory.read'(core, { endpoint, vms }, signal) {
    const { machines, failed } = await using(openSource(core, endpointOf(core, endpoint)), (source) =>
      readMachines(source, vms, signal),
    );
    return { machines, failed: failed.map((one) => ({ ...one, error: core.redactor.error(one.error).message })) };
  },

  async 'inventory.save'(core, { name, origin, machines }) {
    const files = filesOf(core);
    const importedAt = new Date().toISOString();
    const inventory: Inventory = {
      name,
      origin,
      importedAt,
      machines: compareInventories(files.find(name)?.machines ?? [], machines, importedAt),
    };
    files.save(inventory);
    return inventory;
  },

  async 'inventory.remove'(core, { name }) {
    filesOf(core).remove(name);
    return {};
  },
};

function filesOf(core: Pick<CoreContext, 'stateFolder'>): InventoryFiles {
  return inventoryFiles(projectFolderOf(core));
}
