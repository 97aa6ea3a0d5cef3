import type { Option, OptionList } from '../../../ports/platform-common.ts';
import { cloneTypes } from '../../../../../shared/plugins/server-virtualization-manager/clone-type.ts';
import type { Manager } from './open-manager.ts';
import { nameOfObject, type OvmId } from './shapes.ts';

const named = (object: { readonly name?: string | null | undefined; readonly id: OvmId }): Option => ({
  id: object.id.value,
  name: nameOfObject(object),
});

type Reader = (manager: Manager, signal: AbortSignal) => Promise<OptionList>;

const repositories: Reader = async (manager, signal) => (await manager.repositories.list(signal)).map(named);
const templates: Reader = async (manager, signal) =>
  (await manager.vms.list(signal)).filter(({ vmRunState }) => vmRunState === 'TEMPLATE').map(named);

/** How each option source of the environments is read; what other platforms call images and types of volumes are templates and repositories here. */
const readers: Readonly<Record<string, Reader>> = {
  repositories,
  volume_types: repositories,
  templates,
  images: templates,
  networks: async (manager, signal) => (await manager.networks.list(signal)).map(named),
  'vm.networks': async (manager, signal) => (await manager.networks.list(signal)).map(named),
  os_types: async (manager, signal) => (await manager.osTypes(signal)).map((name) => ({ id: name, name })),
  clone_types: async () => cloneTypes.map((name) => ({ id: name, name })),
  server_pools: async (manager, signal) => (await manager.serverPools.list(signal)).map(named),
};

/** Choices for the environment's leaves, by the names of the schemas' metadata; a name that is not known is left out. */
export async function managerOptions(
  manager: Manager,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Readonly<Record<string, OptionList>>> {
  const known = [...new Set(names)].filter((name) => Object.hasOwn(readers, name));
  const lists = await Promise.all(
    known.map(async (name) => [name, (await readers[name]?.(manager, signal)) ?? []] as const),
  );
  return Object.fromEntries(lists);
}
