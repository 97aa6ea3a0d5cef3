import type { PluginDefinition } from '../plugin-definition.ts';
import { destinationAliases, sourceAliases } from './aliases.ts';
import { connection } from './connection.ts';
import { destination } from './destination.ts';
import { destinationRules, sourceRules } from './rules.ts';
import { source } from './source.ts';

export const openSourceCloud: PluginDefinition = {
  id: 'open-source-cloud',
  title: 'Open-source cloud',
  productName: 'OpenStack',
  products: ['openstack', 'open_stack'],
  connection,
  source: { schema: source, rules: sourceRules, acceptedSpellings: {}, knownAliases: sourceAliases },
  destination: {
    schema: destination,
    rules: destinationRules,
    acceptedSpellings: {},
    knownAliases: destinationAliases,
  },
};
