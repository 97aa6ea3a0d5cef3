import { smallestFitting } from '../../../cloud-resources/instance-type.ts';
import { resolve, resolvedOrThrow } from '../../../cloud-resources/resolve-reference.ts';
import { missing } from '../../../cloud-resources/read-environment.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import type { Flavor } from '../client/compute.ts';

/** The flavor of the final instance: the one that is named, else the smallest usual one that has what the VM had. */
export function chooseFlavor(
  flavors: readonly Flavor[],
  wanted: string | undefined,
  vm: Pick<Vm, 'vcpus' | 'memory_mb'>,
): Flavor {
  if (wanted !== undefined) return resolvedOrThrow('flavor', 'flavor_name', wanted, resolve(flavors, wanted));
  return (
    smallestFitting(flavors.filter(isUsual), vm) ??
    missing(
      'flavor_name',
      `flavor_name is not set, and no flavor has ${vm.vcpus ?? '?'} vCPU and ${vm.memory_mb ?? '?'} MB`,
    )
  );
}

/** Not for special hardware, and not withdrawn. */
function isUsual(flavor: Flavor): boolean {
  const special = Object.keys(flavor.extra_specs ?? {}).some((key) =>
    /^(pci_passthrough:|resources:(VGPU|PGPU|CUSTOM_)|trait:)/.test(key),
  );
  return !special && flavor['OS-FLV-DISABLED:disabled'] !== true;
}
