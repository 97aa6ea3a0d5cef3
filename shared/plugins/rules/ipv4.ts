/** The address as an unsigned number; undefined when the text is none. A prefix length after it is left out. */
export function parseIpv4(text: string): number | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:\/\d{1,2})?$/.exec(text.trim());
  if (match === null) return undefined;
  let address = 0;
  for (const part of match.slice(1, 5)) {
    const byte = Number(part);
    if (byte > 255) return undefined;
    address = address * 256 + byte;
  }
  return address;
}

/** First and last address of a CIDR block, as numbers. */
export function parseCidr(text: string): { readonly first: number; readonly last: number } | undefined {
  const [base, length] = text.split('/');
  const address = parseIpv4(base ?? '');
  const bits = /^\d{1,2}$/.test(length ?? '') ? Number(length) : NaN;
  if (address === undefined || !(bits <= 32)) return undefined;
  const size = 2 ** (32 - bits);
  const first = Math.floor(address / size) * size;
  return { first, last: first + size - 1 };
}

export const isIpv6 = (text: string): boolean => text.includes(':');
