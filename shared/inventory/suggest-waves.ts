import { machineBytes, type InventoryMachine, type MachineLabel } from './inventory.ts';
import { setsByFlows, type Flow } from './network-flows.ts';

export interface WaveLimits {
  /** What machines are put together by; machines of one application, cluster… stay together as far as they fit. */
  readonly by: MachineLabel | 'size' | 'flows';
  /** Connections between machines, for waves by flows. */
  readonly flows?: readonly Flow[];
  readonly mostMachines: number;
  readonly mostBytes: number;
  /** The waves are called this and a number. */
  readonly name: string;
}

export interface SuggestedWave<M extends InventoryMachine = InventoryMachine> {
  readonly name: string;
  readonly machines: readonly M[];
}

/** What can be copied in a window over a link; without both of them there is no limit. */
export function bytesWithin(hours: number | undefined, bytesPerSecond: number | undefined): number {
  return hours === undefined || bytesPerSecond === undefined ? Infinity : hours * 3600 * bytesPerSecond;
}

/**
 * Waves within limits. Machines with the same label come together where one wave can hold them, the largest sets first; those without
 * a label fill what is left. By size, small machines come first: the first night is the easiest. A machine that is larger than the limit
 * has a wave of its own.
 */
export function suggestWaves<M extends InventoryMachine>(machines: readonly M[], { by, mostMachines, mostBytes, name, flows = [] }: WaveLimits): SuggestedWave<M>[] {
  const waves: { machines: M[]; bytes: number }[] = [];
  const fits = (wave: { readonly machines: readonly M[]; readonly bytes: number }, set: readonly M[], bytes: number): boolean =>
    wave.machines.length + set.length <= mostMachines && (wave.bytes + bytes <= mostBytes || (wave.machines.length === 0 && set.length === 1));
  const put = (set: readonly M[]): boolean => {
    const bytes = sum(set);
    let wave = waves.find((one) => fits(one, set, bytes));
    if (wave === undefined) {
      wave = { machines: [], bytes: 0 };
      if (!fits(wave, set, bytes)) return false;
      waves.push(wave);
    }
    wave.machines.push(...set);
    wave.bytes += bytes;
    return true;
  };
  const sets = by === 'flows' ? setsByFlows(machines, flows, { mostMachines, mostBytes }) : setsOf(machines, by);
  for (const set of sets) if (!put(set)) for (const machine of set) put([machine]);
  return waves.map((wave, index) => ({ name: `${name} ${index + 1}`, machines: wave.machines }));
}

function setsOf<M extends InventoryMachine>(machines: readonly M[], by: Exclude<WaveLimits['by'], 'flows'>): M[][] {
  if (by === 'size') return machines.toSorted((one, other) => machineBytes(one) - machineBytes(other)).map((machine) => [machine]);
  const groups = Map.groupBy(machines, ({ labels }) => labels?.[by]);
  const alone = (groups.get(undefined) ?? []).map((machine) => [machine]);
  groups.delete(undefined);
  return [...[...groups.values()].sort((one, other) => other.length - one.length || sum(other) - sum(one)), ...alone];
}

function sum(machines: readonly InventoryMachine[]): number {
  return machines.reduce((total, machine) => total + machineBytes(machine), 0);
}
