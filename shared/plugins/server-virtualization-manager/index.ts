import type { PluginDefinition } from '../plugin-definition.ts';
import { connection } from './connection.ts';
import { destination } from './destination.ts';
import { destinationRules, sourceRules } from './rules.ts';
import { source } from './source.ts';

export const serverVirtualizationManager: PluginDefinition = {
  id: 'server-virtualization-manager',
  title: 'Server virtualization manager',
  productName: 'Oracle VM',
  products: ['oracle_vm', 'ovm', 'oraclevm', 'oracle_vm_manager'],
  connection,
  source: {
    schema: source,
    rules: sourceRules,
    acceptedSpellings: { virtual_disk_clone_types: 'virtual_disk_clone_type' },
    knownAliases: {
      repository: 'repository_name',
      export_template: 'export_template_name',
      export_template_user: 'export_template_username',
      clone_type: 'virtual_disk_clone_type',
      disk_clone_type: 'virtual_disk_clone_type',
    },
  },
  destination: {
    schema: destination,
    rules: destinationRules,
    acceptedSpellings: { migr_template_map: 'migr_template_name_map' },
    knownAliases: {
      virtual_disk_clone_types: 'virtual_disk_clone_type',
      storage_mapping: 'storage_mappings',
      storage_map: 'storage_mappings',
      network_mapping: 'network_map',
      network_mappings: 'network_map',
      server_pool: 'server_pool_name',
      repository: 'repository_name',
      leave_vm_off: 'leave_migrated_vm_off',
      clone_type: 'virtual_disk_clone_type',
    },
  },
};
