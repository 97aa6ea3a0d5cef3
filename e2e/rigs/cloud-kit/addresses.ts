/** IPv4 arithmetic on dotted strings. */
export function toNumber(address: string): number {
  return address.split('.').reduce((total, part) => total * 256 + Number(part), 0);
}

export function toAddress(number: number): string {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
}

export function prefixRange(cidr: string): { readonly first: number; readonly last: number } {
  const [address = '', length = '32'] = cidr.split('/');
  const size = 2 ** (32 - Number(length));
  const first = Math.floor(toNumber(address) / size) * size;
  return { first, last: first + size - 1 };
}

export function contains(cidr: string, address: string): boolean {
  const { first, last } = prefixRange(cidr);
  const number = toNumber(address);
  return number >= first && number <= last;
}

export const isIPv4 = (text: string): boolean =>
  /^\d{1,3}(\.\d{1,3}){3}$/.test(text) && text.split('.').every((part) => Number(part) <= 255);

/** The first address of a prefix that is not taken. The first `reserved` ones belong to the cloud, and the last is nobody's. */
export function firstFreeAddress(cidr: string, taken: ReadonlySet<string>, reserved: number): string | undefined {
  const { first, last } = prefixRange(cidr);
  for (let number = first + reserved; number < last; number += 1) {
    const address = toAddress(number);
    if (!taken.has(address)) return address;
  }
  return undefined;
}
