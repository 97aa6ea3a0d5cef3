import { z } from 'zod';

/**
 * Fixed IPv6 settings of the guest's interfaces. Windows keeps addresses and routes of them in a store whose form no document tells; it is the same since
 * Windows 7. What does not have that form is left out. As the Linux worker's ipv6_settings.py.
 */

const list = <Item extends z.ZodType>(item: Item) =>
  z.preprocess(
    (value) => (value === null || value === undefined ? [] : Array.isArray(value) ? value : [value]),
    z.array(item),
  );
const stored = list(z.object({ name: z.string(), value: z.string().regex(/^(?:[0-9A-F]{2})*$/) }));

/** What the registry has of interfaces beside their fixed IPv4 addresses. */
export const interfacesSchema = z.object({
  interfaces: list(
    z.object({
      guid: z.string(),
      name: z.string(),
      suffix: z.string(),
      metric: z.string().regex(/^\d*$/),
      gatewayMetrics: list(z.string()),
      servers: list(z.string()),
      servers6: list(z.string()),
    }),
  ),
  cards: list(z.object({ guid: z.string(), number: z.int().nonnegative(), kind: z.int().nonnegative() })),
  addresses: stored,
  routes: stored,
});
export type RegistryInterfaces = z.infer<typeof interfacesSchema>;

export interface Ipv6Settings {
  readonly addresses: readonly { readonly address: string; readonly length: string }[];
  readonly gateways: readonly string[];
  readonly servers: readonly string[];
  /** Persistent routes beside the gateways. */
  readonly hasOtherRoutes: boolean;
}

const nothing: Ipv6Settings = { addresses: [], gateways: [], servers: [], hasOtherRoutes: false };
/** Where an address may come from that nobody fixed: well-known ones, DHCP, routers. */
const byItself: readonly number[] = [2, 3, 4];

/** Nothing where no address is fixed: then routers of the network tell all of it. */
export function ipv6Settings({ interfaces, cards, addresses, routes }: RegistryInterfaces, guid: string): Ipv6Settings {
  const card = cards.find((each) => each.guid.toLowerCase() === guid.toLowerCase());
  if (card === undefined || card.number >= 2 ** 24 || card.kind >= 2 ** 16) return nothing;
  const local = Buffer.alloc(8);
  local.writeBigUInt64LE((BigInt(card.kind) << 48n) | (BigInt(card.number) << 24n));
  const fixed = addresses.flatMap(({ name, value }) => fixedAddress(bytesOf(name), Buffer.from(value, 'hex'), local));
  if (fixed.length === 0) return nothing;
  const names = routes.map(({ name }) => bytesOf(name));
  const gateways = names.filter((name) => isDefault(name, local));
  const servers = interfaces.find((each) => each.guid.toLowerCase() === guid.toLowerCase())?.servers6 ?? [];
  return {
    addresses: fixed,
    gateways: gateways.map((name) => shownAddress(name.subarray(56))),
    servers: servers.filter((one) => /^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$/.test(one)),
    hasOtherRoutes: names.some((name) => name.includes(local) && !gateways.includes(name)),
  };
}

/** An address as it is compared. */
export function plainAddress(address: string): string {
  return address.includes(':') && URL.canParse(`http://[${address}]`)
    ? new URL(`http://[${address}]`).hostname.slice(1, -1)
    : address;
}

const bytesOf = (name: string): Buffer =>
  /^(?:[0-9A-Fa-f]{2})+$/.test(name) ? Buffer.from(name, 'hex') : Buffer.alloc(0);

/** A name is an interface and an address; a value has two times of validity, two origins, and the length of the prefix. */
function fixedAddress(name: Buffer, value: Buffer, local: Buffer): Ipv6Settings['addresses'] {
  const length = value[16] ?? 0;
  if (
    name.length !== 24 ||
    !name.subarray(0, 8).equals(local) ||
    value.length < 17 ||
    byItself.includes(value.readUInt32LE(8)) ||
    length === 0 ||
    length > 128
  )
    return [];
  const isOfItsLink = name[8] === 0xfe && name[9] === 0x80;
  return isOfItsLink ? [] : [{ address: shownAddress(name.subarray(8)), length: String(length) }];
}

/** A name has the destination after four bytes, with the length of its prefix; then the interface; at its end the next hop. */
function isDefault(name: Buffer, local: Buffer): boolean {
  if (name.length !== 72 || ![40, 48].some((at) => name.subarray(at, at + 8).equals(local))) return false;
  return name.subarray(4, 21).every((byte) => byte === 0) && name.subarray(56).some((byte) => byte !== 0);
}

function shownAddress(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
  return plainAddress(groups.join(':'));
}
