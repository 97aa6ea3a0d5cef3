import type { AddressBook } from '../../cloud-resources/fixed-addresses.ts';
import { resolve } from '../../cloud-resources/resolve-reference.ts';
import type { DestinationEnvironment } from './environment.ts';
import type { Iaas } from './iaas/iaas.ts';
import type { CloudNetwork } from './iaas/networks.ts';

/** The first two host addresses of a network are those of its gateway and of the metadata service. */
const reservedHosts = 2;

/** The networks of an environment's map, and who has which address in them. */
export function mappedNetworks(
  iaas: Iaas,
  networks: readonly CloudNetwork[],
  environment: Pick<DestinationEnvironment, 'network_map'>,
): AddressBook {
  return {
    networkOf(sourceNetwork) {
      const wanted = environment.network_map[sourceNetwork];
      const resolution = wanted === undefined ? undefined : resolve(networks, wanted);
      if (resolution?.outcome !== 'found') return undefined;
      const { id, name, ipv4 } = resolution.resource;
      return { id, name, prefixes: ipv4?.prefixes ?? [], gateway: ipv4?.gateway ?? undefined, reservedHosts };
    },
    async holder({ id }, address, signal) {
      const nic = (await iaas.nics.listOfNetwork(id, signal)).find((each) => each.ipv4 === address);
      return nic === undefined ? undefined : (nic.name ?? nic.id);
    },
  };
}
