import type { PluginDefinition } from '../plugin-definition.ts';
import { connection } from './connection.ts';
import { destination } from './destination.ts';
import { destinationRules, sourceRules } from './rules.ts';
import { source } from './source.ts';

export const resourceGroupCloud: PluginDefinition = {
  id: 'resource-group-cloud',
  title: 'Resource-group cloud',
  productName: 'Microsoft Azure',
  products: ['azure', 'microsoft_azure', 'azure_vm'],
  connection,
  signsInByPerson: ({ sign_in: way }) => way === 'device_code',
  source: {
    schema: source,
    rules: sourceRules,
    acceptedSpellings: {},
    knownAliases: {
      region: 'location',
      storage_account: 'storage_account_name',
      storage_container: 'storage_container_name',
      export_vm_size: 'export_worker_size',
      export_image: 'export_worker_image',
    },
  },
  destination: {
    schema: destination,
    rules: destinationRules,
    acceptedSpellings: {},
    knownAliases: {
      region: 'location',
      storage_mappings: 'storage_map',
      storage_mapping: 'storage_map',
      network_mapping: 'network_map',
      network_mappings: 'network_map',
      storage_account: 'storage_account_name',
      storage_container: 'storage_container_name',
      size: 'vm_size',
      preserve_ips: 'preserve_nic_ips',
      preserve_nic_ip: 'preserve_nic_ips',
      migr_linux_image: 'linux_migr_image',
      migr_windows_image: 'windows_migr_image',
    },
  },
};
