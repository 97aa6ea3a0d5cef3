import { isInRange, parseCidr, parseIp, parseIpv4, type Ipv4Range } from './ip-address.ts';
import type { Nic } from './vm.ts';

/** The addresses of a network, as far as a fixed address is concerned. */
export interface Ipv4Network {
  readonly prefixes: readonly string[];
  readonly gateway?: string | undefined;
  /** How many of its first host addresses the platform keeps for itself: the gateway, then the metadata service. */
  readonly reservedHosts?: number;
}

export type Fit =
  | { readonly outcome: 'fits' | 'out-of-range' }
  /** `use`: what the address is, e.g. "the gateway". */
  | { readonly outcome: 'reserved'; readonly use: string };

/** Whether a NIC can have an address in a network. The same rule applies to documents and to live platforms. */
export function fixedAddressFit(address: string, { prefixes, gateway, reservedHosts = 0 }: Ipv4Network): Fit {
  const wanted = parseIpv4(address);
  const range =
    wanted === undefined
      ? undefined
      : prefixes.map(parseCidr).find((each) => each !== undefined && isInRange(wanted, each));
  if (wanted === undefined || range === undefined) return { outcome: 'out-of-range' };
  const use =
    wanted === (gateway === undefined ? undefined : parseIpv4(gateway))
      ? 'the gateway'
      : reservedUse(wanted, range, reservedHosts);
  return use === undefined ? { outcome: 'fits' } : { outcome: 'reserved', use };
}

function reservedUse(address: number, { first, last }: Ipv4Range, reservedHosts: number): string | undefined {
  // Point-to-point ranges and single addresses have neither a network nor a broadcast address.
  if (last - first < 2) return undefined;
  if (address === first) return 'the network address';
  if (address === last) return 'the broadcast address';
  if (address > first + reservedHosts) return undefined;
  return address === first + 1 ? 'the gateway' : 'the address of the metadata service';
}

/** The IPv4 addresses of a NIC in the usual notation, with their positions in the NIC's list. */
export function ipv4Addresses(
  nic: Pick<Nic, 'ip_addresses'>,
): readonly { readonly index: number; readonly address: string }[] {
  return (nic.ip_addresses ?? []).flatMap((text, index) => {
    const address = parseIp(text);
    return address?.version === 4 ? [{ index, address: address.text }] : [];
  });
}
