import type { PluginDefinition } from '../plugin-definition.ts';
import { connection } from './connection.ts';
import { destination } from './destination.ts';
import { destinationRules } from './rules.ts';

export const compartmentCloud: PluginDefinition = {
  id: 'compartment-cloud',
  title: 'Compartment cloud',
  productName: 'Oracle Cloud Infrastructure',
  products: ['oci', 'oracle_cloud', 'oracle_cloud_infrastructure'],
  connection,
  destination: {
    schema: destination,
    rules: destinationRules,
    acceptedSpellings: { storage_mapping: 'storage_mappings' },
    knownAliases: {
      storage_map: 'storage_mappings',
      network_mapping: 'network_map',
      network_mappings: 'network_map',
      compartment_id: 'compartment',
      compartment_name: 'compartment',
      vcn_compartment_id: 'vcn_compartment',
      shape: 'shape_name',
      migr_shape: 'migr_shape_name',
      migr_subnet: 'migr_subnet_id',
      subnet_id: 'migr_subnet_id',
      assign_public_ip: 'set_public_ip',
      public_ip: 'set_public_ip',
      use_paravirtualized_mode: 'use_pv_mode',
    },
  },
};
