import { machineBytes, type InventoryMachine, type MachineLabel } from './inventory.ts';
import { setsByFlows, type Flow } from './network-flows.ts';
import {
  isWithin,
  loadOf,
  noLoad,
  sumOfLoads,
  together,
  type LoadOf,
  type WaveLoad,
  type WaveMost,
} from './wave-load.ts';

export interface WaveLimits<M extends InventoryMachine = InventoryMachine> {
  /** What machines are put together by; machines of one application, cluster… stay together as far as they fit. */
  readonly by: MachineLabel | 'size' | 'flows';
  /** Connections between machines, for waves by flows. */
  readonly flows?: readonly Flow[];
  readonly most: WaveMost;
  /** What of a machine has to be copied in the window; without it, all of its disks. */
  readonly windowBytes?: ((machine: M) => number) | undefined;
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
 * a label fill what is left. By size, small machines come first: the first night is the easiest. A machine that is larger than the limits
 * has a wave of its own.
 */
export function suggestWaves<M extends InventoryMachine>(
  machines: readonly M[],
  { by, most, name, windowBytes, flows = [] }: WaveLimits<M>,
): SuggestedWave<M>[] {
  const loads = new Map(machines.map((machine) => [machine, loadOf(machine, windowBytes)]));
  const load: LoadOf<M> = (machine) => loads.get(machine)!;
  const waves: { machines: M[]; load: WaveLoad }[] = [];
  const put = (set: readonly M[]): boolean => {
    const added = sumOfLoads(set.map(load));
    let wave = waves.find((one) => isWithin(together(one.load, added), most));
    if (wave === undefined) {
      if (set.length > 1 && !isWithin(added, most)) return false;
      wave = { machines: [], load: noLoad };
      waves.push(wave);
    }
    wave.machines.push(...set);
    wave.load = together(wave.load, added);
    return true;
  };
  const sets = by === 'flows' ? setsByFlows(machines, flows, { most, load }) : setsOf(machines, by);
  for (const set of sets) if (!put(set)) for (const machine of set) put([machine]);
  return waves.map((wave, index) => ({ name: `${name} ${index + 1}`, machines: wave.machines }));
}

function setsOf<M extends InventoryMachine>(machines: readonly M[], by: Exclude<WaveLimits['by'], 'flows'>): M[][] {
  if (by === 'size')
    return machines.toSorted((one, other) => machineBytes(one) - machineBytes(other)).map((machine) => [machine]);
  const groups = Map.groupBy(machines, ({ labels }) => labels?.[by]);
  const alone = (groups.get(undefined) ?? []).map((machine) => [machine]);
  groups.delete(undefined);
  return [...[...groups.values()].sort((one, other) => other.length - one.length || sum(other) - sum(one)), ...alone];
}

function sum(machines: readonly InventoryMachine[]): number {
  return machines.reduce((total, machine) => total + machineBytes(machine), 0);
}
