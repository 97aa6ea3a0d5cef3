import type { PluginDefinition } from '../plugin-definition.ts';
import { connection } from './connection.ts';
import { sourceRules } from './rules.ts';
import { source } from './source.ts';

export const largePublicCloud: PluginDefinition = {
  id: 'large-public-cloud',
  title: 'Large public cloud',
  productName: 'AWS',
  products: ['aws', 'amazon', 'amazon_web_services', 'ec2', 'amazon_ec2'],
  connection,
  source: {
    schema: source,
    rules: sourceRules,
    acceptedSpellings: {},
    knownAliases: {
      image_map: 'migr_image_map',
      ami_map: 'migr_image_map',
      instance_type: 'worker_instance_type',
      migr_instance_type: 'worker_instance_type',
      shutdown_instance: 'shutdown_migrated_instance',
      shutdown_instances: 'shutdown_migrated_instance',
    },
  },
};
