import type { GuestNic } from '../options.ts';
import { ipv6Settings, plainAddress, type Ipv6Settings, type RegistryInterfaces } from './ipv6-settings.ts';

/** Fixed settings of an interface, as the guest's registry has them. */
export interface FixedInterface {
  readonly addresses: readonly string[];
  /** Of the addresses, in their order. */
  readonly masks: readonly string[];
  readonly gateways: readonly string[];
  readonly servers: readonly string[];
  /** Of the connection, and of its names in DNS. */
  readonly name?: string | undefined;
  readonly suffix?: string | undefined;
  /** Windows chooses those that are empty or 0. */
  readonly metric?: string | undefined;
  readonly gatewayMetrics?: readonly string[] | undefined;
  readonly ipv6?: Ipv6Settings | undefined;
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
  readonly metric: string;
  readonly gatewayMetrics: readonly string[];
  readonly addresses6: Ipv6Settings['addresses'];
  readonly gateways6: readonly string[];
  readonly servers6: readonly string[];
}

const readable = { name: /^[A-Za-z0-9 _.()#-]{1,100}$/, suffix: /^[A-Za-z0-9.-]{1,253}$/ };

/** Interfaces with a fixed address of any kind: `fixed` are those of IPv4. */
export function fixedInterfaces(
  fixed: readonly (FixedInterface & { readonly guid?: string | undefined })[],
  found: RegistryInterfaces,
): readonly FixedInterface[] {
  const told = found.interfaces.map((each) => ({ ...each, ipv6: ipv6Settings(found, each.guid) }));
  const known = fixed.map((each) => ({
    ...each,
    ...toldOf(told.find(({ guid }) => guid.toLowerCase() === each.guid?.toLowerCase())),
  }));
  const others = told.filter(
    ({ guid, ipv6 }) =>
      ipv6.addresses.length > 0 && !fixed.some((each) => each.guid?.toLowerCase() === guid.toLowerCase()),
  );
  return [
    ...known,
    ...others.map((each) => ({
      addresses: [],
      masks: [],
      gateways: [],
      servers: each.servers,
      name: each.name,
      suffix: each.suffix,
      ...toldOf(each),
    })),
  ];
}

function toldOf(
  told:
    | { readonly metric: string; readonly gatewayMetrics: readonly string[]; readonly ipv6: Ipv6Settings }
    | undefined,
): Partial<FixedInterface> {
  return told === undefined ? {} : { metric: told.metric, gatewayMetrics: told.gatewayMetrics, ipv6: told.ipv6 };
}

const addressesOf = ({ addresses, ipv6 }: FixedInterface): readonly string[] => [
  ...addresses,
  ...(ipv6?.addresses ?? []).map(({ address }) => address),
];

/**
 * Which card gets which fixed addresses: by the addresses known from the source; otherwise, if there is one of each, those
 * two. What stays unknown is a warning.
 */
export function staticCards(
  interfaces: readonly FixedInterface[],
  nics: readonly GuestNic[],
): { readonly cards: readonly Card[]; readonly warnings: readonly string[] } {
  const left = [...interfaces];
  const cards: Card[] = [];
  const unkept: string[] = [];
  const take = (found: FixedInterface, mac: string): void => {
    left.splice(left.indexOf(found), 1);
    const {
      addresses,
      masks,
      gateways,
      servers,
      name = '',
      suffix = '',
      metric = '',
      gatewayMetrics = [],
      ipv6,
    } = found;
    if (ipv6?.hasOtherRoutes === true) unkept.push(`persistent routes of IPv6 of ${name} are not set again`);
    cards.push({
      name: readable.name.test(name) ? name : '',
      suffix: readable.suffix.test(suffix) ? suffix : '',
      mac: mac.toUpperCase().replaceAll('-', ':'),
      addresses: addresses.map((address, index) => ({ address, mask: masks[index] ?? '255.255.255.0' })),
      gateways,
      servers,
      metric: Number(metric) === 0 ? '' : metric,
      gatewayMetrics: gatewayMetrics.map((each) => (/^\d+$/.test(each) ? each : '0')),
      addresses6: ipv6?.addresses ?? [],
      gateways6: ipv6?.gateways ?? [],
      servers6: ipv6?.servers ?? [],
    });
  };
  for (const { macAddress, addresses = [] } of nics) {
    if (macAddress === undefined) continue;
    const known = new Set(addresses.map(plainAddress));
    const fitting = left.filter((each) => addressesOf(each).some((address) => known.has(plainAddress(address))));
    if (fitting.length === 1 && fitting[0] !== undefined) take(fitting[0], macAddress);
  }
  const [only] = nics;
  if (
    nics.length === 1 &&
    left.length === 1 &&
    cards.length === 0 &&
    (only?.addresses ?? []).length === 0 &&
    only?.macAddress !== undefined &&
    left[0] !== undefined
  )
    take(left[0], only.macAddress);
  return {
    cards,
    warnings: [
      ...unkept,
      ...left.map(
        (each) =>
          `the NIC with the addresses ${addressesOf(each).join(', ')} is unknown; the addresses are not configured`,
      ),
    ],
  };
}
