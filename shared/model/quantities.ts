const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Bytes for people, with three digits that count. */
export function bytes(value: number): string {
  let scaled = value;
  let unit = 0;
  // Steps where the rounded number would: 1023.9 KiB are 1.00 MiB, 9.999 MiB are 10.0 MiB.
  while (scaled >= 1023.5 && unit < units.length - 1) {
    scaled /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
  return `${scaled.toFixed(digits)} ${units[unit]}`;
}

const sizeUnits: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  t: 1e12,
  p: 1e15,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
  ti: 2 ** 40,
  pi: 2 ** 50,
};

/** A size such as `500G` (10^9), `20Ti` (2^40) or a plain number of bytes; undefined where it is none. */
export function parseByteCount(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*?)b?$/.exec(text.trim().toLowerCase()) ?? [];
  const factor = Object.hasOwn(sizeUnits, unit) ? sizeUnits[unit] : undefined;
  return number === undefined || factor === undefined ? undefined : Math.floor(Number(number) * factor);
}
