import { fixedAddressFit, ipv4Addresses, type Ipv4Network } from '../../model/fixed-address.ts';
import { isIpv6, parseCidr } from '../../model/ip-address.ts';
import type { Finding } from '../../schema/finding.ts';
import type { Rule, RuleContext, RuleFinding } from '../rule.ts';
import { catalogOf, resolveResource } from './catalog-names.ts';
import { isOn, textAt } from './environment-view.ts';

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
  readonly isFirst: boolean;
  readonly network: Ipv4Network & { readonly name: string };
}

/** Each IPv4 address of the VM, where the catalog has the ranges of the mapped network. */
function* placedAddresses(plugin: string, context: RuleContext, reservedHosts = 0): Generator<PlacedAddress> {
  const networks = catalogOf(context, plugin)?.networks;
  if (networks === undefined) return;
  for (const [nicIndex, nic] of (context.vm?.nics ?? []).entries()) {
    const mapped = nic.network === undefined ? undefined : textAt(context.effective, ['network_map', nic.network]);
    const network = mapped === undefined ? undefined : resolveResource(networks, mapped)[0];
    const prefixes = (network?.cidrs ?? []).filter((cidr) => parseCidr(cidr) !== undefined);
    if (network === undefined || prefixes.length === 0) continue;
    for (const [position, { index, address }] of ipv4Addresses(nic).entries()) {
      yield {
        at: ['vm', 'nics', nicIndex, 'ip_addresses', index],
        address,
        isFirst: position === 0,
        network: { name: network.name, prefixes, gateway: network.gateway, reservedHosts },
      };
    }
  }
}

/** Every address that is to be kept is in a range of the mapped network. */
export function addressInRange(plugin: string, { flag, severity, consequence }: FixedAddresses): Rule {
  return {
    id: `${plugin}/address-outside-network`,
    *check(context) {
      if (!isOn(context.effective, [flag])) return;
      for (const { at, address, network } of placedAddresses(plugin, context)) {
        if (fixedAddressFit(address, network).outcome !== 'out-of-range') continue;
        yield {
          severity,
          from: 'document',
          at,
          message: `${address} is not in the range of the mapped network ${network.name} (${network.prefixes.join(', ')}): ${consequence}.`,
          suggestion: `Map the NIC to a network that contains the address, or set ${flag} to false.`,
        };
      }
    },
  };
}

/**
 * The gateway and the ends of the range cannot be given to a NIC.
 *
 * @param reservedHosts how many of a network's first host addresses the platform keeps for itself
 */
export function addressNotReserved(plugin: string, flag: string, reservedHosts: number): Rule {
  return {
    id: `${plugin}/address-reserved`,
    *check(context): Generator<RuleFinding> {
      if (!isOn(context.effective, [flag])) return;
      for (const { at, address, isFirst, network } of placedAddresses(plugin, context, reservedHosts)) {
        const fit = fixedAddressFit(address, network);
        if (!isFirst || fit.outcome !== 'reserved') continue;
        yield {
          severity: 'error',
          from: 'document',
          at,
          message: `${address} is ${fit.use} of the mapped network ${network.name} and cannot be assigned to a NIC.`,
          suggestion: `Map the NIC to another network, or set ${flag} to false.`,
        };
      }
    },
  };
}

/** Platforms keep IPv4 addresses only. */
export function ipv6Dropped(plugin: string, flag: string): Rule {
  return {
    id: `${plugin}/ipv6-dropped`,
    *check({ vm, effective }) {
      if (!isOn(effective, [flag])) return;
      for (const [nicIndex, { ip_addresses: addresses = [] }] of (vm?.nics ?? []).entries()) {
        for (const [index, address] of addresses.entries()) {
          if (!isIpv6(address)) continue;
          yield {
            severity: 'warning',
            from: 'document',
            at: ['vm', 'nics', nicIndex, 'ip_addresses', index],
            message: `The IPv6 address ${address} is dropped: ${flag} keeps IPv4 addresses only.`,
          };
        }
      }
    },
  };
}

/** A NIC keeps one address. */
export function furtherAddressesDropped(plugin: string, flag: string): Rule {
  return {
    id: `${plugin}/further-addresses`,
    *check({ vm, effective }) {
      if (!isOn(effective, [flag])) return;
      for (const [nicIndex, nic] of (vm?.nics ?? []).entries()) {
        const [first, ...more] = ipv4Addresses(nic);
        for (const { index, address } of more) {
          yield {
            severity: 'warning',
            from: 'document',
            at: ['vm', 'nics', nicIndex, 'ip_addresses', index],
            message: `${address} is dropped: a NIC keeps its first IPv4 address only, here ${first?.address ?? ''}.`,
          };
        }
      }
    },
  };
}

/** A guest that keeps its own network configuration expects the same addresses as before. */
export function staticAddressChanges(plugin: string): Rule {
  return {
    id: `${plugin}/static-address-changes`,
    *check({ effective }) {
      if (effective['set_dhcp'] !== false || isOn(effective, ['preserve_fixed_ips'])) return;
      yield {
        severity: 'info',
        at: ['set_dhcp'],
        message:
          'The guest keeps its static network configuration (set_dhcp is false), but the platform assigns new addresses (preserve_fixed_ips is not set).',
        suggestion: 'Set preserve_fixed_ips to true, or change the addresses in the guest after the migration.',
      };
    },
  };
}
