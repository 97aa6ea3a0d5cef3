import { isJsonObject } from '../../model/json.ts';
import type { Rule } from '../../validation/rule.ts';
import { nearestSpelling } from '../../validation/spelling.ts';

/**
 * Each NIC's source network is mapped. Where the map itself is required, its absence is reported by the shape and not
 * once more for each NIC.
 */
export function everyNicMapped(plugin: string, mapIsRequired: boolean): Rule {
  return {
    id: `${plugin}/nic-not-mapped`,
    *check({ vm, effective }) {
      const map = effective['network_map'];
      if (vm === undefined || vm.nics.length === 0) return;
      if (map === undefined && !mapIsRequired) {
        yield {
          severity: 'error',
          at: ['network_map'],
          message: 'The VM has NICs, and network_map is missing: none of them can be attached.',
        };
      }
      if (!isJsonObject(map)) return;
      const networks = new Map<string, string[]>();
      for (const { network, id } of vm.nics) networks.set(network, [...(networks.get(network) ?? []), id]);
      for (const [network, nics] of networks) {
        if (Object.hasOwn(map, network)) continue;
        const nearest = nearestSpelling(network, Object.keys(map));
        yield {
          severity: 'error',
          at: ['network_map', network],
          message: `The source network ${JSON.stringify(network)} of ${nics.join(', ')} is not mapped.`,
          suggestion:
            nearest === undefined
              ? `Add ${JSON.stringify(network)} to network_map.`
              : `The map has ${JSON.stringify(nearest)}: is it the same network?`,
        };
      }
    },
  };
}
