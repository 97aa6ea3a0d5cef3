import type { Vm } from '../../../shared/model/vm.ts';
import { fixedAddressFit, parseIpv4, type Ipv4Network } from './ipv4.ts';
import { pointer, type Report } from './online-finding.ts';

/** The address that a NIC keeps: its first IPv4 one. IPv6 is dropped. */
export function keptAddress(nic: Vm['nics'][number]): string | undefined {
  return nic.ip_addresses?.find((address) => parseIpv4(address) !== undefined);
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

/** Whether every fixed address can be kept: in range, not reserved, wanted once, held by nobody. */
export async function checkFixedAddresses(book: AddressBook, vm: Vm, signal: AbortSignal, report: Report): Promise<void> {
  const seen = new Map<string, string>();
  for (const nic of vm.nics) {
    const network = book.networkOf(nic.network);
    if (network === undefined) continue;
    const path = pointer('network_map', nic.network);
    const addresses = (nic.ip_addresses ?? []).filter((address) => parseIpv4(address) !== undefined);
    if ((nic.ip_addresses ?? []).length > addresses.length) report('info', path, 'ipv6-dropped', `NIC ${nic.id}: its IPv6 addresses are not kept`);
    const address = keptAddress(nic);
    const more = addresses.slice(1);
    if (address === undefined) {
      report('warning', path, 'no-fixed-address', `NIC ${nic.id} has no known IPv4 address: it gets one from ${network.name}`);
      continue;
    }
    if (more.length > 0) report('warning', path, 'further-addresses', `NIC ${nic.id}: only its first address, ${address}, is kept (also has ${more.join(', ')})`);
    const fit = fixedAddressFit(address, network);
    if (fit === 'out-of-range') report('error', path, 'address-out-of-range', `NIC ${nic.id}: ${address} is not in the range of network ${network.name} (${network.prefixes.join(', ') || 'no IPv4'})`);
    if (fit === 'reserved') report('error', path, 'address-reserved', `NIC ${nic.id}: ${address} is reserved in network ${network.name}`);
    const key = `${network.id} ${address}`;
    const other = seen.get(key);
    if (other !== undefined) report('error', path, 'address-twice', `NICs ${other} and ${nic.id} both want ${address} in network ${network.name}`);
    seen.set(key, nic.id);
    const holder = fit === 'fits' ? await book.holder(network, address, signal) : undefined;
    if (holder !== undefined) report('error', path, 'address-taken', `NIC ${nic.id}: ${address} is taken by NIC ${holder} in network ${network.name}`);
  }
}
