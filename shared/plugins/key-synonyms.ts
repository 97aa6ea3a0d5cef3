import type { PluginId, Side } from '../model/plugin-id.ts';
import { plugins } from './registry.ts';

/** One key of one side of a plugin. Dotted for nested keys. */
export interface OwnedKey {
  readonly plugin: PluginId;
  readonly side: Side;
  readonly key: string;
}

const own =
  (side: Side) =>
  (plugin: PluginId, key: string): OwnedKey => ({ plugin, side, key });
const from = own('source');
const to = own('destination');

/** Keys of different plugins that mean the same thing. Keys of the same name need no entry. */
export const keySynonyms: readonly (readonly OwnedKey[])[] = [
  // the size of the migrated VM
  [
    to('open-source-cloud', 'flavor_name'),
    to('resource-group-cloud', 'vm_size'),
    to('compartment-cloud', 'shape_name'),
    to('classic-infrastructure-cloud', 'shape_name'),
    to('european-cloud', 'machine_type'),
  ],
  // the size of temporary workers
  [
    to('open-source-cloud', 'migr_flavor_name'),
    from('open-source-cloud', 'service_backups_options.export_flavor_name'),
    from('large-public-cloud', 'worker_instance_type'),
    from('resource-group-cloud', 'export_worker_size'),
    to('resource-group-cloud', 'worker_size'),
    to('compartment-cloud', 'migr_shape_name'),
    from('classic-infrastructure-cloud', 'export_shape_name'),
    to('classic-infrastructure-cloud', 'migr_shape_name'),
    to('european-cloud', 'migr_machine_type'),
  ],
  // what temporary workers boot from
  [
    to('open-source-cloud', 'migr_image_map'),
    to('open-source-cloud', 'migr_image'),
    from('open-source-cloud', 'service_backups_options.export_image'),
    from('large-public-cloud', 'migr_image_map'),
    from('resource-group-cloud', 'export_worker_image'),
    to('resource-group-cloud', 'linux_migr_image'),
    to('resource-group-cloud', 'windows_migr_image'),
    to('compartment-cloud', 'migr_image_map'),
    from('classic-infrastructure-cloud', 'export_image_name'),
    to('classic-infrastructure-cloud', 'migr_image_map'),
    from('server-virtualization-manager', 'export_template_name'),
    to('server-virtualization-manager', 'migr_template_name_map'),
    to('european-cloud', 'migr_image_map'),
  ],
  // who signs in on a worker
  [
    from('classic-infrastructure-cloud', 'export_img_username'),
    from('server-virtualization-manager', 'export_template_username'),
    to('server-virtualization-manager', 'migr_template_username_map'),
  ],
  [
    from('server-virtualization-manager', 'export_template_password'),
    to('server-virtualization-manager', 'migr_template_password_map'),
  ],
  // where workers are reached
  [
    to('open-source-cloud', 'migr_network'),
    from('open-source-cloud', 'service_backups_options.export_network'),
    to('compartment-cloud', 'migr_subnet_id'),
    to('european-cloud', 'migr_network'),
  ],
  [
    to('open-source-cloud', 'migr_worker_use_fip'),
    from('open-source-cloud', 'service_backups_options.export_worker_use_fip'),
    to('european-cloud', 'migr_worker_use_public_ip'),
  ],
  [
    to('open-source-cloud', 'migr_fip_pool_name'),
    from('open-source-cloud', 'service_backups_options.export_fip_pool_name'),
  ],
  // the volume that workers boot from
  [
    to('open-source-cloud', 'migr_worker_volume_size'),
    from('open-source-cloud', 'service_backups_options.export_worker_volume_size'),
    from('classic-infrastructure-cloud', 'export_root_disk_size'),
    to('european-cloud', 'migr_worker_volume_size'),
  ],
  [
    to('open-source-cloud', 'migr_worker_volume_type'),
    from('open-source-cloud', 'service_backups_options.export_worker_volume_type'),
    to('european-cloud', 'migr_worker_volume_performance_class'),
  ],
  [
    to('open-source-cloud', 'migr_worker_boot_from_volume'),
    from('open-source-cloud', 'service_backups_options.export_worker_boot_from_volume'),
  ],
  [
    to('open-source-cloud', 'migr_worker_use_config_drive'),
    from('open-source-cloud', 'service_backups_options.export_worker_use_config_drive'),
  ],
  // where disks go
  [
    to('open-source-cloud', 'storage_mappings'),
    to('resource-group-cloud', 'storage_map'),
    to('compartment-cloud', 'storage_mappings'),
    to('classic-infrastructure-cloud', 'storage_mappings'),
    to('server-virtualization-manager', 'storage_mappings'),
    to('european-cloud', 'storage_mappings'),
  ],
  [
    to('classic-infrastructure-cloud', 'default_volume_pool'),
    to('open-source-cloud', 'storage_mappings.default'),
    to('resource-group-cloud', 'storage_map.default'),
    to('compartment-cloud', 'storage_mappings.default'),
    to('server-virtualization-manager', 'storage_mappings.default'),
    to('european-cloud', 'storage_mappings.default'),
  ],
  [
    to('open-source-cloud', 'delete_disks_on_vm_termination'),
    to('european-cloud', 'delete_disks_on_server_termination'),
  ],
  // addresses
  [
    to('open-source-cloud', 'use_floating_ip'),
    to('compartment-cloud', 'set_public_ip'),
    to('classic-infrastructure-cloud', 'set_public_ip'),
    to('european-cloud', 'use_public_ip'),
  ],
  [
    to('open-source-cloud', 'preserve_fixed_ips'),
    to('resource-group-cloud', 'preserve_nic_ips'),
    to('european-cloud', 'preserve_fixed_ips'),
  ],
  // placement
  [to('open-source-cloud', 'server_group'), to('european-cloud', 'affinity_group')],
  [to('compartment-cloud', 'availability_domain'), to('european-cloud', 'availability_zone')],
  [
    from('resource-group-cloud', 'resource_group'),
    to('resource-group-cloud', 'resource_group'),
    to('compartment-cloud', 'compartment'),
    to('european-cloud', 'project'),
    to('server-virtualization-manager', 'server_pool_name'),
  ],
  // labels
  [
    to('open-source-cloud', 'instance_tags'),
    to('european-cloud', 'server_properties'),
    to('european-cloud', 'server_labels'),
  ],
];

export interface KeySynonym {
  /** Whose key it is; several where plugins share the name. */
  readonly owners: readonly OwnedKey[];
  /** What it is called on the given side, dotted for nested keys; undefined where there is no such thing. */
  readonly here: string | undefined;
}

const lastPart = (key: string) => key.slice(key.lastIndexOf('.') + 1);

/** Every top-level key and every nested option by its own name, with its owners. Made on first use. */
let ownersByKey: ReadonlyMap<string, readonly OwnedKey[]> | undefined;

function allOwners(): ReadonlyMap<string, readonly OwnedKey[]> {
  const owners = new Map<string, OwnedKey[]>();
  const add = (key: string, owner: OwnedKey) => owners.set(key, [...(owners.get(key) ?? []), owner]);
  for (const { id, ...sides } of Object.values(plugins)) {
    for (const side of ['source', 'destination'] as const) {
      const environment = sides[side];
      if (environment === undefined) continue;
      for (const key of Object.keys(environment.schema.shape)) add(key, { plugin: id, side, key });
    }
  }
  for (const owned of keySynonyms.flat()) {
    if (owned.key.includes('_options.')) add(lastPart(owned.key), owned);
  }
  return owners;
}

/**
 * Whose key this is, where it is not one of the given side's own, and what it is called there.
 * @returns undefined for a key that no plugin has
 */
export function findSynonym(key: string, plugin: PluginId, side: Side): KeySynonym | undefined {
  ownersByKey ??= allOwners();
  const owners = (ownersByKey.get(key) ?? []).filter((owner) => owner.plugin !== plugin || owner.side !== side);
  if (owners.length === 0) return undefined;
  const isOwner = (one: OwnedKey) =>
    owners.some((owner) => owner.plugin === one.plugin && owner.side === one.side && owner.key === one.key);
  const here = keySynonyms
    .filter((group) => group.some(isOwner))
    .flatMap((group) => group.filter((one) => one.plugin === plugin && one.side === side))[0];
  return { owners, here: here?.key };
}

/** What a key of another plugin, or of the other side, is called here; undefined where there is no such thing. */
export function synonymOf(key: string, plugin: PluginId, side: Side): string | undefined {
  return findSynonym(key, plugin, side)?.here;
}
