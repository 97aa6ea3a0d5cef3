import type { Vm } from '../../../../../shared/model/vm.ts';
import type { AddressBook } from '../../../cloud-resources/fixed-addresses.ts';
import type { Network, Subnet } from '../client/network.ts';
import type { OpenStackSession } from './context.ts';
import type { DestinationEnvironment } from './environment.ts';
import { resolveNetwork } from './networks.ts';

/** The networks of an environment's map, and who has which address in them. */
export function mappedNetworks(
  session: OpenStackSession,
  networks: readonly Network[],
  subnets: readonly Subnet[],
  projectId: string,
  environment: Pick<DestinationEnvironment, 'network_map' | 'port_reuse_policy'>,
  vm: Vm,
): AddressBook {
  return {
    networkOf(sourceNetwork) {
      const wanted = environment.network_map[sourceNetwork];
      const resolution = wanted === undefined ? undefined : resolveNetwork(networks, projectId, wanted);
      if (resolution?.outcome !== 'found') return undefined;
      const { id, name } = resolution.resource;
      const own = subnets.filter((subnet) => subnet.network_id === id && subnet.ip_version === 4);
      return {
        id,
        name,
        prefixes: own.map(({ cidr }) => cidr),
        gateway: own.find((subnet) => typeof subnet.gateway_ip === 'string')?.gateway_ip ?? undefined,
      };
    },
    async holder({ id }, address, signal) {
      const ports = await session.cloud.network.ports({ networkId: id, address }, signal);
      // A free port with the VM's own MAC address gives way to it, or is taken over.
      const macs =
        environment.port_reuse_policy === 'replace_mac' ? [] : vm.nics.map((nic) => nic.mac_address?.toLowerCase());
      const held = ports.find(
        (port) => (port.device_id ?? '') !== '' || !macs.includes(port.mac_address.toLowerCase()),
      );
      return held === undefined
        ? undefined
        : held.name === undefined || held.name === null || held.name === ''
          ? held.id
          : held.name;
    },
  };
}
