/** A size of servers that a cloud offers. Memory in MiB. */
export interface MachineSize {
  readonly name: string;
  readonly vcpus: number;
  readonly ram: number;
}

/** What a VM had. Unknown needs fit. */
export interface MachineNeeds {
  readonly vcpus?: number | undefined;
  readonly memory_mb?: number | undefined;
}

export function fits(size: MachineSize, vm: MachineNeeds): boolean {
  return size.vcpus >= (vm.vcpus ?? 0) && size.ram >= (vm.memory_mb ?? 0);
}

/** The smallest size that fits, by memory, then processors, then name, so that it is always the same one. */
export function smallestFitting<T extends MachineSize>(sizes: readonly T[], vm: MachineNeeds): T | undefined {
  return sizes
    .filter((size) => fits(size, vm))
    .sort((a, b) => a.ram - b.ram || a.vcpus - b.vcpus || a.name.localeCompare(b.name))[0];
}
