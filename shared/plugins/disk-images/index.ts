import type { PluginDefinition } from '../plugin-definition.ts';
import { connection } from './connection.ts';
import { source } from './source.ts';

export const diskImages: PluginDefinition = {
  id: 'disk-images',
  title: 'Disk images',
  products: ['disk_image', 'images', 'ova', 'ovf', 'vmdk', 'qcow2', 'vhd', 'vhdx', 'raw'],
  connection,
  source: { schema: source, rules: [], acceptedSpellings: {}, knownAliases: {} },
};
