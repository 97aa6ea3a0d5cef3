import ipaddr from 'ipaddr.js';

/** An IP address as text and numbers. */
export interface IpAddress {
  readonly version: 4 | 6;
  /** The usual notation, without a prefix length. */
  readonly text: string;
  /** Prefix length, where the text had one. */
  readonly prefix?: number;
}

const prefixOf = /^(.*)\/(\d{1,3})$/;

/**
 * Reads an IPv4 address in the notation with four decimal parts, or an IPv6 address; a prefix length may follow.
 * Octal, hexadecimal and shortened IPv4 notations are refused: programs disagree on what they mean.
 */
export function parseIp(text: string): IpAddress | undefined {
  const match = prefixOf.exec(text.trim());
  const address = match?.[1] ?? text.trim();
  const isFour = ipaddr.IPv4.isValidFourPartDecimal(address);
  if (!isFour && !(address.includes(':') && ipaddr.IPv6.isValid(address))) return undefined;
  const prefix = match === null ? undefined : Number(match[2]);
  if (prefix !== undefined && prefix > (isFour ? 32 : 128)) return undefined;
  const plain = isFour ? address : ipaddr.IPv6.parse(address).toRFC5952String();
  return { version: isFour ? 4 : 6, text: plain, ...(prefix === undefined ? {} : { prefix }) };
}

/** An IPv4 address, with or without a prefix length, as an unsigned 32-bit number. */
export function parseIpv4(text: string): number | undefined {
  const address = parseIp(text);
  return address?.version === 4 ? numberOf(address.text) : undefined;
}

function numberOf(address: string): number {
  return ipaddr.IPv4.parse(address).octets.reduce((sum, byte) => sum * 256 + byte, 0);
}

export function formatIpv4(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}

export function isIpv6(text: string): boolean {
  return parseIp(text)?.version === 6;
}

/** First and last address of an IPv4 range, as unsigned 32-bit numbers. */
export interface Ipv4Range {
  readonly first: number;
  readonly last: number;
}

/** An IPv4 range in CIDR notation; an address inside the range stands for the range. */
export function parseCidr(text: string): Ipv4Range | undefined {
  const address = parseIp(text);
  if (address?.version !== 4 || address.prefix === undefined) return undefined;
  const size = 2 ** (32 - address.prefix);
  const first = Math.floor(numberOf(address.text) / size) * size;
  return { first, last: first + size - 1 };
}

export function isInRange(address: number, { first, last }: Ipv4Range): boolean {
  return first <= address && address <= last;
}

/** Whether the internet never sees the address as a sender: private, shared by a provider, or link-local. */
export function isPrivateIpv4(text: string): boolean {
  const address = parseIp(text);
  return (
    address?.version === 4 &&
    ['private', 'carrierGradeNat', 'linkLocal'].includes(ipaddr.IPv4.parse(address.text).range())
  );
}

/** Why an address cannot belong to one NIC, as the end of "… is"; undefined for an address that can. */
export function unusableAddress(text: string): string | undefined {
  const address = parseIp(text);
  if (address === undefined) return 'not an IP address';
  const kind =
    address.version === 4 ? ipaddr.IPv4.parse(address.text).range() : ipaddr.IPv6.parse(address.text).range();
  const words: Readonly<Record<string, string>> = {
    unspecified: 'the unspecified address',
    broadcast: 'the broadcast address',
    multicast: 'a multicast address',
    loopback: 'a loopback address',
  };
  return Object.hasOwn(words, kind) ? words[kind] : undefined;
}

/** Whether a URL's host name is this computer itself: `localhost`, 127.0.0.0/8 or ::1. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname === '::1' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
