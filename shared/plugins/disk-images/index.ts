import type { PluginDefinition } from '../plugin-definition.ts';
import { connection } from './connection.ts';
import { source } from './source.ts';

export const diskImages: PluginDefinition = {
  id: 'disk-images',
  title: 'Disk images',
  connection,
  source: { schema: source, rules: [], acceptedSpellings: {}, knownAliases: {} },
};
