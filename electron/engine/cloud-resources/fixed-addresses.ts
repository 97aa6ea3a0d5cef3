import { fixedAddressFit, ipv4Addresses, type Ipv4Network } from '../../../shared/model/fixed-address.ts';
import { isIpv6 } from '../../../shared/model/ip-address.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import { pointer, type Report } from './environment-checks.ts';

/** The address that a NIC keeps: its first IPv4 address, without a prefix length. IPv6 addresses are dropped. */
export function keptAddress(nic: Vm['nics'][number]): string | undefined {
  return ipv4Addresses(nic)[0]?.address;
}

/** A mapped network of the cloud. */
export interface AddressedNetwork extends Ipv4Network {
  readonly id: string;
  readonly name: string;
}

export interface AddressBook {
  /** The network that a source network is mapped to; undefined when that is not settled. */
  networkOf(sourceNetwork: string): AddressedNetwork | undefined;
  /** The NIC that holds an address in a network, as people know it. */
  holder(network: AddressedNetwork, address: string, signal: AbortSignal): Promise<string | undefined>;
}

/**
 * Whether the fixed addresses can be kept. Every IPv4 address must be in the range of the mapped network. The first
 * address of each NIC is the one that is kept, so it must also be free, unreserved and wanted only once.
 */
export async function checkFixedAddresses(
  book: AddressBook,
  vm: Vm,
  signal: AbortSignal,
  report: Report,
): Promise<void> {
  const seen = new Map<string, string>();
  for (const nic of vm.nics) {
    const network = book.networkOf(nic.network);
    if (network === undefined) continue;
    const path = pointer('network_map', nic.network);
    const dropped = (nic.ip_addresses ?? []).filter(isIpv6);
    if (dropped.length > 0)
      report('warning', path, 'ipv6-dropped', `NIC ${nic.id}: IPv6 addresses are not kept (${dropped.join(', ')})`);
    const [first, ...more] = ipv4Addresses(nic).map(({ address }) => address);
    if (first === undefined) {
      report(
        'warning',
        path,
        'no-fixed-address',
        `NIC ${nic.id} has no known IPv4 address: network ${network.name} assigns one`,
      );
      continue;
    }
    if (more.length > 0)
      report(
        'warning',
        path,
        'further-addresses',
        `NIC ${nic.id}: only its first address, ${first}, is kept (also has ${more.join(', ')})`,
      );
    const fits = [first, ...more].map((address) => {
      const fit = fixedAddressFit(address, network);
      if (fit.outcome === 'out-of-range')
        report(
          'error',
          path,
          'address-out-of-range',
          `NIC ${nic.id}: ${address} is not in the range of network ${network.name} (${network.prefixes.join(', ') || 'no IPv4'})`,
        );
      return fit;
    });
    if (fits[0]?.outcome === 'reserved')
      report('error', path, 'address-reserved', `NIC ${nic.id}: ${first} is ${fits[0].use} of network ${network.name}`);
    const key = `${network.id} ${first}`;
    const other = seen.get(key);
    if (other !== undefined)
      report(
        'error',
        path,
        'address-twice',
        `NICs ${other} and ${nic.id} both need ${first} in network ${network.name}`,
      );
    seen.set(key, nic.id);
    const holder = fits[0]?.outcome === 'fits' ? await book.holder(network, first, signal) : undefined;
    if (holder !== undefined)
      report(
        'error',
        path,
        'address-taken',
        `NIC ${nic.id}: ${first} is in use by NIC ${holder} in network ${network.name}`,
      );
  }
}
