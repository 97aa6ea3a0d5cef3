import type { Disk } from '../../../../shared/model/vm.ts';
import { volumeTypeOf } from '../../cloud-resources/volume-type.ts';
import type { DestinationEnvironment } from './environment.ts';

/** The performance class of a disk's volume, by the mapping and what is configured besides. Undefined: the platform's default class. */
export function performanceClassOf(disk: Disk, environment: DestinationEnvironment): string | undefined {
  return volumeTypeOf(disk, environment.storage_mappings, environment.default_volume_performance_class);
}
