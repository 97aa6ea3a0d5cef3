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
