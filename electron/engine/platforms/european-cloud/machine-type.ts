import type { MachineType } from './iaas/catalog-lists.ts';

/** Whether a type has what a VM had. Unknown needs fit. */
export function fits(type: MachineType, vm: { readonly vcpus?: number | undefined; readonly memory_mb?: number | undefined }): boolean {
  return type.vcpus >= (vm.vcpus ?? 0) && type.ram >= (vm.memory_mb ?? 0);
}

/**
 * The smallest type that fits, by memory, then processors, then name, so that it is always the same one. Types with
 * graphics processors (their names start with n) and ARM types are never chosen by themselves.
 */
export function smallestFitting(
  types: readonly MachineType[],
  vm: { readonly vcpus?: number | undefined; readonly memory_mb?: number | undefined },
): MachineType | undefined {
  return types
    .filter((type) => fits(type, vm) && !hasGraphicsProcessor(type) && !isArm(type))
    .sort((a, b) => a.ram - b.ram || a.vcpus - b.vcpus || a.name.localeCompare(b.name))[0];
}

function hasGraphicsProcessor(type: MachineType): boolean {
  return /^n\d/.test(type.name) || /\b(gpu|nvidia)\b/i.test(describe(type));
}

export function isArm(type: MachineType): boolean {
  return /\b(arm|arm64|aarch64|ampere|altra)\b/i.test(describe(type));
}

function describe(type: MachineType): string {
  return [type.description ?? '', ...Object.values(type.extraSpecs ?? {}).map(String)].join(' ').replaceAll('-', ' ');
}
