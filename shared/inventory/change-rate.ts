import { machineBytes, type InventoryMachine } from './inventory.ts';
import { byIdOrOnlyName } from './by-id-or-only-name.ts';
import { parseNumber, parseSize } from './quantity.ts';

/** What changes on a machine: a part of its disks, or bytes, a day. */
export type ChangeRate = { readonly sharePerDay: number } | { readonly bytesPerDay: number };

/** What was measured at the executions of a replica. */
export interface MeasuredChange {
  readonly vm: string;
  readonly name: string;
  readonly bytesPerSecond: number;
}

const day = 86_400;

/** `5%` of the disks, or a size such as `10` (GiB), `500 MB`. An empty text is nothing. */
export function parseChangeRate(written: string): ChangeRate | undefined | 'invalid' {
  const plain = written.trim();
  if (plain === '') return undefined;
  if (plain.endsWith('%')) {
    const percent = parseNumber(plain.slice(0, -1));
    return percent === undefined || percent > 100 ? 'invalid' : { sharePerDay: percent / 100 };
  }
  const size = parseSize(plain, 'GiB');
  return size === undefined ? 'invalid' : { bytesPerDay: size };
}

/** What changes on each machine in a second: as it was measured, by ID or by a name that only one has, else as it is assumed; undefined where neither is there. */
export function changePerSecond(
  measured: readonly MeasuredChange[],
  assumed: ChangeRate | undefined,
): (machine: InventoryMachine) => number | undefined {
  const find = byIdOrOnlyName(
    measured,
    ({ vm }) => vm,
    ({ name }) => name,
  );
  return (machine) => {
    const known = find(machine.vm.id, machine.vm.name)?.bytesPerSecond;
    if (known !== undefined || assumed === undefined) return known;
    return ('bytesPerDay' in assumed ? assumed.bytesPerDay : machineBytes(machine) * assumed.sharePerDay) / day;
  };
}

export interface WindowCopies {
  /** `all`: the first copy and the last pass; `last-pass`: the machines are synchronised every day until then. */
  readonly copies: 'all' | 'last-pass';
  /** Of the window; what changes meanwhile is in the last pass. */
  readonly hours: number;
  readonly change: (machine: InventoryMachine) => number | undefined;
}

/**
 * What of a machine has to be copied within the window. Never more than its disks in a pass. A last pass of which nobody knows what changes
 * could have everything.
 */
export function bytesInWindow(machine: InventoryMachine, { copies, hours, change }: WindowCopies): number {
  const size = machineBytes(machine);
  const perSecond = change(machine);
  if (copies === 'all') return size + Math.min(size, (perSecond ?? 0) * hours * 3600);
  return perSecond === undefined ? size : Math.min(size, perSecond * (day + hours * 3600));
}
