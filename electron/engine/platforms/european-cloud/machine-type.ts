import { smallestFitting as smallest, type MachineNeeds } from '../../cloud-resources/instance-type.ts';
import type { MachineType } from './iaas/catalog-lists.ts';

export { fits } from '../../cloud-resources/instance-type.ts';

/**
 * The smallest type that fits. Types with graphics processors (their names start with n) and ARM types are never chosen
 * by themselves.
 */
export function smallestFitting(types: readonly MachineType[], vm: MachineNeeds): MachineType | undefined {
  return smallest(
    types.filter((type) => !hasGraphicsProcessor(type) && !isArm(type)),
    vm,
  );
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
