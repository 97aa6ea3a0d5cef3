import type { PluginDefinition } from '../plugin-definition.ts';
import { destinationAliases } from './aliases.ts';
import { connection } from './connection.ts';
import { destination } from './destination.ts';
import { providerConfiguration } from './provider-configuration.ts';
import { destinationRules } from './rules.ts';

export const europeanCloud: PluginDefinition = {
  id: 'european-cloud',
  title: 'European cloud',
  productName: 'STACKIT',
  products: ['stackit'],
  connection,
  destination: {
    schema: destination,
    rules: destinationRules,
    acceptedSpellings: {},
    knownAliases: destinationAliases,
    providerConfiguration,
  },
};
