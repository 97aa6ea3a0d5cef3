const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Bytes for people, with three digits that count. */
export function bytes(value: number): string {
  let scaled = value;
  let unit = 0;
  while (scaled >= 1024 && unit < units.length - 1) {
    scaled /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || scaled >= 100 ? 0 : scaled >= 10 ? 1 : 2;
  return `${scaled.toFixed(digits)} ${units[unit]}`;
}
