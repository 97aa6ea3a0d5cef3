import type { PluginDefinition } from '../plugin-definition.ts';
import { connection } from './connection.ts';
import { destination } from './destination.ts';
import { destinationRules, sourceRules } from './rules.ts';
import { source } from './source.ts';

export const classicInfrastructureCloud: PluginDefinition = {
  id: 'classic-infrastructure-cloud',
  title: 'Classic infrastructure cloud',
  productName: 'Oracle Cloud Infrastructure Classic',
  products: ['opc', 'oci_classic', 'oracle_classic', 'oracle_compute_classic', 'oracle_cloud_classic'],
  notice:
    'The vendor has retired this platform: public sites are switched off, and only installations of one’s own may still answer. Causeway was never tried on a real one.',
  connection,
  source: {
    schema: source,
    rules: sourceRules,
    acceptedSpellings: {},
    knownAliases: {
      export_image: 'export_image_name',
      export_image_username: 'export_img_username',
      export_username: 'export_img_username',
      export_shape: 'export_shape_name',
      export_disk_size: 'export_root_disk_size',
    },
  },
  destination: {
    schema: destination,
    rules: destinationRules,
    acceptedSpellings: {},
    knownAliases: {
      storage_mapping: 'storage_mappings',
      networks_map: 'network_map',
      network_mapping: 'network_map',
      network_mappings: 'network_map',
      shape: 'shape_name',
      migr_shape: 'migr_shape_name',
      keypair: 'keypair_name',
      key_name: 'keypair_name',
      public_ip: 'set_public_ip',
    },
  },
};
