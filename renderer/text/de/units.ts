/** Units beside numbers, and what surrounds them. */
export const units = {
  bytes: ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'],
  perSecond: (amount: string) => `${amount}/s`,
  /** Of an amount with a decimal prefix: 20 M → 20 MB/s. */
  decimalPerSecond: (amount: string) => `${amount}B/s`,
  time: { day: 'd', hour: 'h', minute: 'min', second: 's' },
} as const;
