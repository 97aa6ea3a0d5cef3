import type { MachineNeeds, MachineSize } from '../../../cloud-resources/instance-type.ts';
import { smallestFitting } from '../../../cloud-resources/instance-type.ts';
import { missing } from '../../../cloud-resources/read-environment.ts';
import { resolve, resolvedOrThrow } from '../../../cloud-resources/resolve-reference.ts';
import type { ClassicShape } from '../client/compute.ts';

export const sizeOf = ({ name, cpus, ram }: ClassicShape): MachineSize => ({ name, vcpus: cpus, ram });

/** The shape that is named, else the smallest that has what the VM had. @throws `cloud.name-unknown`, `cloud.parameter-missing` */
export function shapeFor(shapes: readonly ClassicShape[], wanted: string | undefined, vm: MachineNeeds): MachineSize {
  const sizes = shapes.map(sizeOf);
  if (wanted !== undefined)
    return resolvedOrThrow(
      'shape',
      'shape_name',
      wanted,
      resolve(
        sizes.map((size) => ({ ...size, id: size.name })),
        wanted,
      ),
    );
  return (
    smallestFitting(sizes, vm) ??
    missing(
      'shape_name',
      `no shape has ${vm.vcpus ?? '?'} vCPUs and ${vm.memory_mb ?? '?'} MB of memory: set shape_name`,
    )
  );
}
