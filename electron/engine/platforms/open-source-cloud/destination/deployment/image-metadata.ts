import type { Vm } from '../../../../../../shared/model/vm.ts';
import type { DestinationEnvironment } from '../environment.ts';

/**
 * What the boot volume says of the server that boots from it: which hypervisor it is for, its system, firmware, and the
 * buses of its devices, for which the guest was prepared.
 *
 * @param guestName what the guest calls itself, if it was prepared
 */
export function bootVolumeMetadata(
  vm: Pick<Vm, 'os_type' | 'firmware' | 'secure_boot'>,
  environment: Pick<DestinationEnvironment, 'hypervisor_type'>,
  guestName = '',
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
      : {
          hw_disk_bus: 'virtio',
          hw_vif_model: 'virtio',
          hw_firmware_type: uefi ? 'uefi' : 'bios',
          ...(uefi ? { hw_machine_type: 'q35' } : {}),
          // The line to the hypervisor's agent. It harms nobody who has none.
          hw_qemu_guest_agent: 'yes',
          ...(vm.os_type === 'windows' ? processorLimit(guestName) : {}),
        }),
    ...(uefi && vm.secure_boot !== undefined ? { os_secure_boot: vm.secure_boot ? 'required' : 'disabled' } : {}),
  };
}

/** Editions of Windows for workplaces use one or two processors, however many cores those have; by default each core is a processor of its own. */
function processorLimit(guestName: string): Readonly<Record<string, string>> {
  if (!/windows/i.test(guestName) || /server/i.test(guestName)) return {};
  return { hw_cpu_max_sockets: /\bhome\b|single language/i.test(guestName) ? '1' : '2' };
}

const keys = [
  'os_type',
  'hypervisor_type',
  'hw_machine_type',
  'hw_disk_bus',
  'hw_vif_model',
  'hw_firmware_type',
  'os_secure_boot',
  'hw_qemu_guest_agent',
  'hw_cpu_max_sockets',
] as const;

/**
 * What a boot volume still says for a server that it was to be the volume of before, e.g. in place and on another
 * hypervisor, and that would be wrong for the next one.
 */
export function staleMetadata(
  present: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, string>>,
): readonly string[] {
  return keys.filter((key) => present[key] !== undefined && wanted[key] === undefined);
}
