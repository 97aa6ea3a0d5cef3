import type { Vm } from '../../../../shared/model/vm.ts';
import type { DestinationEnvironment } from './environment.ts';
import { fixedAddressFit, parseIpv4 } from './ipv4.ts';
import type { Iaas } from './iaas/iaas.ts';
import type { CloudNetwork } from './iaas/networks.ts';
import { resolve } from './names.ts';
import { pointer, type Report } from './online-finding.ts';

/** The address that a NIC keeps: its first IPv4 one. IPv6 is dropped. */
export function keptAddress(nic: Vm['nics'][number]): string | undefined {
  return nic.ip_addresses?.find((address) => parseIpv4(address) !== undefined);
}

/** Whether every fixed address can be kept: in range, not reserved, wanted once, held by nobody. */
export async function checkFixedAddresses(
  iaas: Iaas, networks: readonly CloudNetwork[], environment: DestinationEnvironment, vm: Vm, signal: AbortSignal, report: Report,
): Promise<void> {
  if (!environment.preserve_fixed_ips) return;
  const seen = new Map<string, string>();
  for (const nic of vm.nics) {
    const wanted = environment.network_map[nic.network];
    const resolution = wanted === undefined ? undefined : resolve(networks, wanted);
    if (resolution?.outcome !== 'found') continue;
    const network = resolution.resource;
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
    const gateway = network.ipv4?.gateway;
    const prefixes = network.ipv4?.prefixes ?? [];
    const fit = fixedAddressFit(address, { prefixes, ...(typeof gateway === 'string' ? { gateway } : {}) });
    if (fit === 'out-of-range') report('error', path, 'address-out-of-range', `NIC ${nic.id}: ${address} is not in the range of network ${network.name} (${prefixes.join(', ') || 'no IPv4'})`);
    if (fit === 'reserved') report('error', path, 'address-reserved', `NIC ${nic.id}: ${address} is reserved in network ${network.name}`);
    const key = `${network.id} ${address}`;
    const other = seen.get(key);
    if (other !== undefined) report('error', path, 'address-twice', `NICs ${other} and ${nic.id} both want ${address} in network ${network.name}`);
    seen.set(key, nic.id);
    const holder = fit === 'fits' ? (await iaas.nics.listOfNetwork(network.id, signal)).find((each) => each.ipv4 === address) : undefined;
    if (holder !== undefined) report('error', path, 'address-taken', `NIC ${nic.id}: ${address} is taken by NIC ${holder.name ?? holder.id} in network ${network.name}`);
  }
}
