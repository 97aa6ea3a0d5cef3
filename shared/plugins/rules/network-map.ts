import { isJsonObject } from '../../model/json.ts';
import type { Rule } from '../rule.ts';
import { quoted, spellingsOf } from './wording.ts';

/**
 * Each NIC's source network is mapped. Where the map itself is required, its absence is reported by the shape and not
 * once more for each NIC.
 */
export function everyNicMapped(plugin: string, mapIsRequired: boolean): Rule {
  return {
    id: `${plugin}/nic-not-mapped`,
    *check({ vm, effective }) {
      const map = effective['network_map'];
      if (vm?.nics === undefined || vm.nics.length === 0) return;
      if (map === undefined && !mapIsRequired) {
        yield {
          severity: 'error',
          at: ['network_map'],
          message: 'network_map is missing: the NICs of the VM cannot be attached.',
        };
      }
      if (!isJsonObject(map)) return;
      const networks = new Map<string, string[]>();
      for (const [index, { network, id = `nics[${index}]` }] of vm.nics.entries()) {
        // What is missing or blank is reported at the NIC itself.
        if (network === undefined || network.trim() === '') continue;
        const nics = networks.get(network);
        if (nics === undefined) networks.set(network, [id]);
        else nics.push(id);
      }
      const nearestIn = spellingsOf(Object.keys(map));
      for (const [network, nics] of networks) {
        if (Object.hasOwn(map, network)) continue;
        const nearest = nearestIn(network);
        yield {
          severity: 'error',
          at: ['network_map', network],
          message: `The source network ${quoted(network)} of ${nics.slice(0, 10).join(', ')} is not mapped.`,
          suggestion:
            nearest === undefined
              ? `Add ${quoted(network)} to network_map.`
              : `network_map contains ${quoted(nearest)}: check whether it is the same network.`,
        };
      }
    },
  };
}
