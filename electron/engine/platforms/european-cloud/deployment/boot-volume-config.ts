import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import type { DestinationEnvironment } from '../environment.ts';

export type ImageConfig = Readonly<Record<string, string | boolean>>;

/** The environment's keys of a boot volume's metadata, and the API's names for them. */
const apiNames: Readonly<Record<string, string>> = {
  operating_system: 'operatingSystem',
  operating_system_distro: 'operatingSystemDistro',
  operating_system_version: 'operatingSystemVersion',
  uefi: 'uefi',
  secure_boot: 'secureBoot',
  architecture: 'architecture',
  boot_menu: 'bootMenu',
  cdrom_bus: 'cdromBus',
  disk_bus: 'diskBus',
  nic_model: 'nicModel',
  rescue_bus: 'rescueBus',
  rescue_device: 'rescueDevice',
  video_model: 'videoModel',
  virtio_scsi: 'virtioScsi',
};

/** The settings of every migrated volume: the bus that it is attached to. */
export function dataVolumeConfig(environment: DestinationEnvironment): ImageConfig {
  return bus(environment.disk_bus);
}

/**
 * The additional settings of the boot volume: system and firmware of the source, over them the configured metadata, over it
 * the environment's, which may have another disk bus as well.
 *
 * @throws `general.invalid-input` for a key that the API does not have
 */
export function bootVolumeConfig(
  vm: Pick<Vm, 'os_type' | 'firmware' | 'secure_boot'>,
  environment: DestinationEnvironment,
): ImageConfig {
  const given = {
    ...environment.default_custom_boot_volume_image_metadata,
    ...environment.custom_boot_volume_image_metadata,
  };
  const custom: Record<string, string | boolean> = {};
  for (const [key, value] of Object.entries(given)) {
    const name =
      (Object.hasOwn(apiNames, key) ? apiNames[key] : undefined) ??
      (Object.values(apiNames).includes(key) ? key : undefined);
    if (name === undefined || (typeof value !== 'string' && typeof value !== 'boolean')) {
      throw new CausewayError(
        'general.invalid-input',
        `custom_boot_volume_image_metadata.${key}: ${name === undefined ? 'not a setting of the cloud' : 'must be a string, true or false'}`,
        {
          details: { parameter: `custom_boot_volume_image_metadata.${key}` },
        },
      );
    }
    custom[name] = value;
  }
  const uefi = vm.firmware === 'uefi';
  return {
    operatingSystem: vm.os_type,
    uefi,
    ...(uefi && vm.secure_boot !== undefined ? { secureBoot: vm.secure_boot } : {}),
    ...bus(typeof custom.diskBus === 'string' ? custom.diskBus : environment.disk_bus),
    ...custom,
  };
}

function bus(diskBus: string): ImageConfig {
  return diskBus === 'scsi' ? { diskBus, virtioScsi: true } : { diskBus };
}
