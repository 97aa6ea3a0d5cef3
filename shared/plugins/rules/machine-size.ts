import type { Catalog } from '../../model/catalog.ts';
import type { Rule, VmFacts } from '../rule.ts';
import { catalogOf, resolveResource } from './catalog-names.ts';
import { placeInDocument, textAt } from './environment-view.ts';

export type MachineType = NonNullable<Catalog['machine_types']>[number];

/** What of the VM a machine type is too small for, in words. */
export function shortages(type: MachineType, vm: VmFacts): string[] {
  const missing: string[] = [];
  if (vm.vcpus !== undefined && type.vcpus !== undefined && type.vcpus < vm.vcpus)
    missing.push(`${type.vcpus} of ${vm.vcpus} vCPUs`);
  if (vm.memory_mb !== undefined && type.memory_mb !== undefined && type.memory_mb < vm.memory_mb) {
    missing.push(`${type.memory_mb} of ${vm.memory_mb} MB of memory`);
  }
  return missing;
}

/** The machine type is at least as large as the VM. A smaller one may be meant, so this only warns. */
export function machineTypeFits(plugin: string, key: string): Rule {
  return {
    id: `${plugin}/machine-type-too-small`,
    *check(context) {
      const name = textAt(context.effective, [key]);
      const types = catalogOf(context, plugin)?.machine_types;
      if (context.vm === undefined || name === undefined || types === undefined) return;
      const [type, ...others] = resolveResource(types, name);
      if (type === undefined || others.length > 0) return;
      const missing = shortages(type, context.vm);
      if (missing.length === 0) return;
      yield {
        severity: 'warning',
        at: placeInDocument(context.environment, { path: [key], value: name }),
        message: `${name} is smaller than the VM: it has ${missing.join(' and ')}.`,
      };
    },
  };
}

/** The size takes as many disks as the VM has, where the catalog tells (`max_data_disks`; the OS disk is not counted). */
export function sizeTakesAllDisks(plugin: string, key: string): Rule {
  return {
    id: `${plugin}/too-many-disks`,
    *check(context) {
      const name = textAt(context.effective, [key]);
      const types = catalogOf(context, plugin)?.machine_types;
      if (context.vm?.disks === undefined || name === undefined || types === undefined) return;
      const limit = resolveResource(types, name)[0]?.['max_data_disks'];
      const wanted = context.vm.disks.length - 1;
      if (typeof limit !== 'number' || wanted <= limit) return;
      yield {
        severity: 'error',
        at: placeInDocument(context.environment, { path: [key], value: name }),
        message: `${name} supports ${limit} data disks, but the VM has ${wanted}.`,
        suggestion: 'Use a larger size.',
      };
    },
  };
}
