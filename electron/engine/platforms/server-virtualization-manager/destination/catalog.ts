import type { Catalog } from '../../../../../shared/model/catalog.ts';
import { cloneTypes } from '../../../../../shared/plugins/server-virtualization-manager/clone-type.ts';
import { nameOfObject, type OvmId } from '../client/shapes.ts';
import type { Manager } from '../client/open-manager.ts';
import { isTemplate } from './environment.ts';

const named = (object: { readonly id: OvmId; readonly name?: string | null | undefined }) => ({
  id: object.id.value,
  name: nameOfObject(object),
});

const plain = (name: string): { readonly id: string; readonly name: string } => ({ id: name, name });

/** What the manager offers, as the offline validation reads it later. */
export async function readCatalog(manager: Manager, capturedAt: Date, signal: AbortSignal): Promise<Catalog> {
  const [networks, repositories, pools, vms, types] = await Promise.all([
    manager.networks.list(signal),
    manager.repositories.list(signal),
    manager.serverPools.list(signal),
    manager.vms.list(signal),
    manager.osTypes(signal),
  ]);
  return {
    captured_at: capturedAt.toISOString(),
    plugin: 'server-virtualization-manager',
    networks: networks.map(named),
    // Under the names of other platforms as well.
    repositories: repositories.map(named),
    volume_types: repositories.map(named),
    server_pools: pools.map(named),
    templates: vms.filter(isTemplate).map(named),
    images: vms.filter(isTemplate).map(named),
    os_types: types.map(plain),
    clone_types: cloneTypes.map(plain),
  };
}
