import type { Disk } from '../../../shared/model/vm.ts';

/** The storage mapping of an environment. */
export interface StorageMapping {
  readonly default?: string | undefined;
  readonly backend_mappings?: readonly { readonly source: string; readonly destination: string }[] | undefined;
  readonly disk_mappings?: readonly { readonly disk_id: string; readonly destination: string }[] | undefined;
}

/**
 * The type of a disk's volume: its own mapping, else its back end's, else the mapping's default, else what is
 * configured. Undefined: the cloud's own default.
 */
export function volumeTypeOf(disk: Disk, mapping: StorageMapping, configured?: string): string | undefined {
  const choice =
    mapping.disk_mappings?.find((each) => each.disk_id === disk.id)?.destination ??
    mapping.backend_mappings?.find((each) => disk.storage_backend !== undefined && each.source === disk.storage_backend)
      ?.destination ??
    mapping.default ??
    configured;
  return choice === '' ? undefined : choice;
}
