import { bytes } from './quantities.ts';

/** What an engine has measured of the two legs of a copy, from the numbers of its disks. Bytes per second. */
export interface MeasuredLegs {
  /** From the source to the engine. */
  readonly source: number | undefined;
  /** From the engine to the worker at the destination. */
  readonly destination: number | undefined;
}

/** Less than this says more of delays than of a rate. */
const leastBytes = 1024 * 1024;

/** @param disks the numbers of disks as an execution records them */
export function measuredLegs(disks: readonly Readonly<Record<string, unknown>>[]): MeasuredLegs {
  const sum = (key: string): number =>
    disks.reduce((total, disk) => total + (typeof disk[key] === 'number' ? disk[key] : 0), 0);
  // As they were before compression, which the bytes read are too: only so can both legs be compared.
  const written = disks.reduce(
    (total, { bytesChanged, bytesZeroed, bytesRecalled }) =>
      total + amountOf(bytesChanged) - amountOf(bytesZeroed) - amountOf(bytesRecalled),
    0,
  );
  const rate = (amount: number, seconds: number): number | undefined =>
    amount >= leastBytes && seconds > 0 ? amount / seconds : undefined;
  return {
    source: rate(sum('bytesRead'), sum('sourceSeconds')),
    destination: rate(written, sum('destinationSeconds')),
  };
}

const amountOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Both legs in words; empty where neither was measured. */
export function legsText({ source, destination }: MeasuredLegs): string {
  const parts = [
    source === undefined ? [] : [`source at ${bytes(source)}/s`],
    destination === undefined ? [] : [`destination at ${bytes(destination)}/s`],
  ].flat();
  return parts.join(', ');
}
