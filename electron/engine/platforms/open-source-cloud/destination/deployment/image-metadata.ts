import type { Vm } from '../../../../../../shared/model/vm.ts';
import type { DestinationEnvironment } from '../environment.ts';

/**
 * What the boot volume says of the server that boots from it: which hypervisor it is for, its system, firmware, and the
 * buses of its devices, for which the guest was prepared.
 */
export function bootVolumeMetadata(
  vm: Pick<Vm, 'os_type' | 'firmware' | 'secure_boot'>, environment: Pick<DestinationEnvironment, 'hypervisor_type'>,
): Readonly<Record<string, string>> {
  const { hypervisor_type: hypervisor } = environment;
  const uefi = vm.firmware === 'uefi';
  // One hypervisor has no such devices; the firmware of its virtual machines goes by their generation.
  const isHyperV = hypervisor === 'hyperv';
  return {
    os_type: vm.os_type,
    ...(hypervisor === undefined ? {} : { hypervisor_type: hypervisor }),
    ...(isHyperV
      ? { hw_machine_type: uefi ? 'hyperv-gen2' : 'hyperv-gen1' }
      : { hw_disk_bus: 'virtio', hw_vif_model: 'virtio', hw_firmware_type: uefi ? 'uefi' : 'bios', ...(uefi ? { hw_machine_type: 'q35' } : {}) }),
    ...(uefi && vm.secure_boot !== undefined ? { os_secure_boot: vm.secure_boot ? 'required' : 'disabled' } : {}),
  };
}
