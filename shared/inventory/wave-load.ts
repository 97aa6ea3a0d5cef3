import { machineBytes, type InventoryMachine } from './inventory.ts';

/** What machines take of a wave's limits. */
export interface WaveLoad {
  readonly machines: number;
  /** Of all disks. */
  readonly bytes: number;
  /** What has to cross the link within the window. */
  readonly windowBytes: number;
  readonly vcpus: number;
  readonly memoryMb: number;
  readonly volumes: number;
  readonly nics: number;
}
export const loadKinds = [
  'machines',
  'bytes',
  'windowBytes',
  'vcpus',
  'memoryMb',
  'volumes',
  'nics',
] as const satisfies readonly (keyof WaveLoad)[];

/** The most that a wave may have of each; what is absent has no limit. */
export type WaveMost = { readonly [K in keyof WaveLoad]?: number | undefined };

export const noLoad: WaveLoad = { machines: 0, bytes: 0, windowBytes: 0, vcpus: 0, memoryMb: 0, volumes: 0, nics: 0 };

export type LoadOf<M extends InventoryMachine = InventoryMachine> = (machine: M) => WaveLoad;

/** @param windowBytes what of a machine has to be copied in the window; without it, all of its disks */
export function loadOf<M extends InventoryMachine>(
  machine: M,
  windowBytes: (machine: M) => number = machineBytes,
): WaveLoad {
  const { vm } = machine;
  return {
    machines: 1,
    bytes: machineBytes(machine),
    windowBytes: windowBytes(machine),
    vcpus: vm.vcpus ?? 0,
    memoryMb: vm.memory_mb ?? 0,
    volumes: vm.disks.length,
    nics: vm.nics.length,
  };
}

export function sumOfLoads(loads: readonly WaveLoad[]): WaveLoad {
  return loads.reduce((sum, load) => together(sum, load), noLoad);
}

export function together(one: WaveLoad, other: WaveLoad): WaveLoad {
  return {
    machines: one.machines + other.machines,
    bytes: one.bytes + other.bytes,
    windowBytes: one.windowBytes + other.windowBytes,
    vcpus: one.vcpus + other.vcpus,
    memoryMb: one.memoryMb + other.memoryMb,
    volumes: one.volumes + other.volumes,
    nics: one.nics + other.nics,
  };
}

export function isWithin(load: WaveLoad, most: WaveMost): boolean {
  return loadKinds.every((kind) => load[kind] <= (most[kind] ?? Infinity));
}

/** The smaller of each limit. */
export function strictest(one: WaveMost, other: WaveMost): WaveMost {
  return Object.fromEntries(
    loadKinds.flatMap((kind) => {
      const least = Math.min(one[kind] ?? Infinity, other[kind] ?? Infinity);
      return Number.isFinite(least) ? [[kind, least]] : [];
    }),
  );
}
