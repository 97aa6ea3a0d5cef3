import type { Finding } from '../../validation/finding.ts';
import type { Rule, RuleContext, RuleFinding } from '../../validation/rule.ts';
import { catalogOf, resolveResource } from './catalog-names.ts';
import { isOn, textAt } from './environment-view.ts';
import { parseCidr, parseIpv4 } from './ipv4.ts';

interface FixedAddresses {
  /** The flag that asks for the source's addresses. */
  readonly flag: string;
  readonly severity: Finding['severity'];
  /** What happens to an address outside the range. */
  readonly consequence: string;
}

interface PlacedAddress {
  readonly at: readonly (string | number)[];
  readonly address: string;
  readonly network: { readonly name: string; readonly cidrs: readonly string[]; readonly gateway: string | undefined };
}

/** Each IPv4 address of the VM whose mapped network the catalog knows with its ranges. */
function* placedAddresses(plugin: string, context: RuleContext): Generator<PlacedAddress> {
  const networks = catalogOf(context, plugin)?.networks;
  if (context.vm === undefined || networks === undefined) return;
  for (const [nicIndex, nic] of context.vm.nics.entries()) {
    const mapped = textAt(context.effective, ['network_map', nic.network]);
    const network = mapped === undefined ? undefined : resolveResource(networks, mapped)[0];
    const cidrs = (network?.cidrs ?? []).filter((cidr) => parseCidr(cidr) !== undefined);
    if (network === undefined || cidrs.length === 0) continue;
    for (const [index, address] of (nic.ip_addresses ?? []).entries()) {
      if (parseIpv4(address) === undefined) continue;
      yield {
        at: ['vm', 'nics', nicIndex, 'ip_addresses', index],
        address,
        network: { name: network.name, cidrs, gateway: network.gateway },
      };
    }
  }
}

const rangeOf = (cidrs: readonly string[], address: string) => {
  const value = parseIpv4(address) ?? -1;
  return cidrs.map(parseCidr).find((range) => range !== undefined && range.first <= value && value <= range.last);
};

/** An address that is to be kept lies in a range of the mapped network. */
export function addressInRange(plugin: string, { flag, severity, consequence }: FixedAddresses): Rule {
  return {
    id: `${plugin}/address-outside-network`,
    *check(context) {
      if (!isOn(context.effective, [flag])) return;
      for (const { at, address, network } of placedAddresses(plugin, context)) {
        if (rangeOf(network.cidrs, address) !== undefined) continue;
        yield {
          severity,
          from: 'document',
          at,
          message: `${address} is not in the range of the mapped network ${network.name} (${network.cidrs.join(', ')}): ${consequence}.`,
          suggestion: `Map the NIC to a network that contains the address, or switch ${flag} off.`,
        };
      }
    },
  };
}

/**
 * The gateway and the ends of the range can't be given to a NIC.
 *
 * @param metadataService whether the second address is the metadata service's
 */
export function addressNotReserved(plugin: string, flag: string, metadataService: boolean): Rule {
  return {
    id: `${plugin}/address-reserved`,
    *check(context): Generator<RuleFinding> {
      if (!isOn(context.effective, [flag])) return;
      for (const { at, address, network } of placedAddresses(plugin, context)) {
        const range = rangeOf(network.cidrs, address);
        const value = parseIpv4(address);
        if (range === undefined || value === undefined) continue;
        const use = reservedUse(value, range, network.gateway, metadataService);
        if (use === undefined) continue;
        yield {
          severity: 'error',
          from: 'document',
          at,
          message: `${address} is ${use} of the mapped network ${network.name} and can't be given to a NIC.`,
          suggestion: `Map the NIC to another network, or switch ${flag} off.`,
        };
      }
    },
  };
}

function reservedUse(value: number, range: { first: number; last: number }, gateway: string | undefined, metadataService: boolean): string | undefined {
  if (range.last - range.first < 7) return undefined; // too small a range for the usual reservations
  if (value === range.first) return 'the network address';
  if (value === range.last) return 'the broadcast address';
  if (value === (gateway === undefined ? range.first + 1 : parseIpv4(gateway))) return 'the gateway';
  return metadataService && value === range.first + 2 ? 'the address of the metadata service' : undefined;
}

/** A guest that keeps its own configuration must not find other addresses than those. */
export function staticAddressChanges(plugin: string): Rule {
  return {
    id: `${plugin}/static-address-changes`,
    *check({ effective }) {
      if (effective['set_dhcp'] !== false || isOn(effective, ['preserve_fixed_ips'])) return;
      yield {
        severity: 'info',
        at: ['set_dhcp'],
        message: 'The guest keeps its static network configuration (set_dhcp is false) while the platform picks other addresses (preserve_fixed_ips is not set): the two must be brought together by hand.',
      };
    },
  };
}
