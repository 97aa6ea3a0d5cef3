import type { Disk } from '../../../../shared/model/vm.ts';
import type { DestinationEnvironment } from './environment.ts';

/**
 * The performance class of a disk's volume: its own mapping, else its backend's, else the mapping's default, else the
 * configured default. Undefined: the platform's default class.
 */
export function performanceClassOf(disk: Disk, environment: DestinationEnvironment): string | undefined {
  const { disk_mappings, backend_mappings, default: fallback } = environment.storage_mappings;
  const choice =
    disk_mappings?.find((each) => each.disk_id === disk.id)?.destination ??
    backend_mappings?.find((each) => disk.storage_backend !== undefined && each.source === disk.storage_backend)?.destination ??
    fallback ??
    environment.default_volume_performance_class;
  return choice === '' ? undefined : choice;
}

const gib = 2 ** 30;

/** The API's unit is GiB, whole ones. */
export function sizeInGib(sizeBytes: number): number {
  return Math.max(1, Math.ceil(sizeBytes / gib));
}

/** The API's limit for one volume. */
export const largestVolumeGib = 16_000;

export function bytesOfGib(size: number): number {
  return size * gib;
}
