/** Arithmetic on IPv4 addresses and ranges; IPv6 addresses are never kept. */

/** The address as an unsigned 32-bit number; undefined when the text is none. */
export function parseIpv4(text: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text.trim());
  if (parts === null) return undefined;
  const bytes = parts.slice(1).map(Number);
  return bytes.some((byte) => byte > 255) ? undefined : bytes.reduce((sum, byte) => sum * 256 + byte, 0);
}

export function formatIpv4(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}

export interface Ipv4Range {
  readonly first: number;
  readonly last: number;
}

export function parseCidr(text: string): Ipv4Range | undefined {
  const [address = '', length = '32', ...rest] = text.trim().split('/');
  const start = parseIpv4(address);
  if (start === undefined || !/^\d{1,2}$/.test(length) || Number(length) > 32 || rest.length > 0) return undefined;
  const size = 2 ** (32 - Number(length));
  const first = Math.floor(start / size) * size;
  return { first, last: first + size - 1 };
}

const privateRanges = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16'].map((each) => parseCidr(each));

/** Addresses that the internet never sees as a sender. */
export function isPrivateIpv4(text: string): boolean {
  const address = parseIpv4(text);
  return address !== undefined && privateRanges.some((range) => range !== undefined && address >= range.first && address <= range.last);
}

export type Fit = 'fits' | 'out-of-range' | 'reserved';

/** A network as far as its addresses go. */
export interface Ipv4Network {
  readonly prefixes: readonly string[];
  readonly gateway?: string | undefined;
  /** How many of its first host addresses the cloud keeps for itself. */
  readonly reservedHosts?: number;
}

/** Whether a NIC may have this fixed address in a network: not the network's own, its broadcast one, or its gateway's. */
export function fixedAddressFit(address: string, network: Ipv4Network): Fit {
  const wanted = parseIpv4(address);
  if (wanted === undefined) return 'out-of-range';
  const range = network.prefixes.map((prefix) => parseCidr(prefix)).find((each) => each !== undefined && wanted >= each.first && wanted <= each.last);
  if (range === undefined) return 'out-of-range';
  const gateway = network.gateway === undefined ? undefined : parseIpv4(network.gateway);
  const isReserved = wanted <= range.first + (network.reservedHosts ?? 0) || wanted === range.last || wanted === gateway;
  return isReserved ? 'reserved' : 'fits';
}
