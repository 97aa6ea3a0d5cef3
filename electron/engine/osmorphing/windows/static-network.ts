import type { GuestNic } from '../options.ts';

/** Fixed IPv4 settings of an interface, as the guest's registry has them. */
export interface FixedInterface {
  readonly addresses: readonly string[];
  /** Of the addresses, in their order. */
  readonly masks: readonly string[];
  readonly gateways: readonly string[];
  readonly servers: readonly string[];
  /** Of the connection, and of its names in DNS. */
  readonly name?: string | undefined;
  readonly suffix?: string | undefined;
}

export interface Card {
  /** As far as the script reads it; empty for others, which stay as Windows chooses them. */
  readonly name: string;
  readonly suffix: string;
  /** With colons, in capitals, as Windows writes it. */
  readonly mac: string;
  readonly addresses: readonly { readonly address: string; readonly mask: string }[];
  readonly gateways: readonly string[];
  readonly servers: readonly string[];
}

const readable = { name: /^[A-Za-z0-9 _.()#-]{1,100}$/, suffix: /^[A-Za-z0-9.-]{1,253}$/ };

/**
 * Which card gets which fixed addresses: by the addresses known from the source; otherwise, if there is one of each, those
 * two. What stays unknown is a warning.
 */
export function staticCards(interfaces: readonly FixedInterface[], nics: readonly GuestNic[]): { readonly cards: readonly Card[]; readonly warnings: readonly string[] } {
  const left = [...interfaces];
  const cards: Card[] = [];
  const take = (found: FixedInterface, mac: string): void => {
    left.splice(left.indexOf(found), 1);
    const { addresses, masks, gateways, servers, name = '', suffix = '' } = found;
    cards.push({ name: readable.name.test(name) ? name : '', suffix: readable.suffix.test(suffix) ? suffix : '', mac: mac.toUpperCase().replaceAll('-', ':'), addresses: addresses.map((address, index) => ({ address, mask: masks[index] ?? '255.255.255.0' })), gateways, servers });
  };
  for (const { macAddress, addresses = [] } of nics) {
    if (macAddress === undefined) continue;
    const fitting = left.filter((each) => each.addresses.some((address) => addresses.includes(address)));
    if (fitting.length === 1 && fitting[0] !== undefined) take(fitting[0], macAddress);
  }
  const [only] = nics;
  if (nics.length === 1 && left.length === 1 && cards.length === 0 && (only?.addresses ?? []).length === 0 && only?.macAddress !== undefined && left[0] !== undefined) take(left[0], only.macAddress);
  return { cards, warnings: left.map(({ addresses }) => `the NIC with the addresses ${addresses.join(', ')} is unknown; the addresses are not configured`) };
}
