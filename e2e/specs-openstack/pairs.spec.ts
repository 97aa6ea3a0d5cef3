import { join } from 'node:path';
import type { PluginId } from '../../shared/model/plugin-id.ts';
import { pairDestinations } from '../rigs/pairs/destinations.ts';
import { openSourceCloudDestination, openSourceCloudSource } from '../rigs/pairs/open-source-cloud.ts';
import { pairSources } from '../rigs/pairs/sources.ts';
import { tryPairs } from '../rigs/pairs/try-pairs.ts';

const plugin = 'open-source-cloud';

function only<T>(
  table: Readonly<Partial<Record<PluginId, T>>>,
  ...plugins: readonly PluginId[]
): Readonly<Partial<Record<PluginId, T>>> {
  return Object.fromEntries(Object.entries(table).filter(([name]) => plugins.some((one) => one === name)));
}

/**
 * The pairs of which one side is the real open-source cloud and the other a simulator. What passed goes to a file of the form of `docs/results/pairs.json`, or into
 * that one itself when `CAUSEWAY_PAIRS_RESULT` names it.
 */
tryPairs({
  sources: {
    [plugin]: openSourceCloudSource,
    ...only(pairSources, 'disk-images', 'virtualization-platform', 'large-public-cloud'),
  },
  destinations: {
    ...only(pairDestinations, 'compartment-cloud', 'resource-group-cloud'),
    [plugin]: openSourceCloudDestination,
  },
  isWanted: (from, to) => (from === plugin) !== (to === plugin),
  resultFile:
    process.env['CAUSEWAY_PAIRS_RESULT'] ?? join(import.meta.dirname, '../../out/reports/openstack-pairs.json'),
});
