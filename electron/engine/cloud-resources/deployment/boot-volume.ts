import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Vm } from '../../../../shared/model/vm.ts';
import type { Volume } from '../../ports/destination-platform.ts';

/** The volume of the disk that the source boots from; the first one when the source does not say. */
export function bootVolumeOf(vm: Vm, volumes: readonly Volume[]): Volume {
  const bootable = vm.disks.find((disk) => disk.bootable === true) ?? vm.disks[0];
  const volume = volumes.find((each) => each.diskId === bootable?.id);
  if (volume === undefined)
    throw new CausewayError('general.invalid-input', `VM ${vm.name} has no volume to boot from`, {
      details: { vmId: vm.id },
    });
  return volume;
}
