import { z } from 'zod';
import { field } from '../field-meta.ts';
import { text } from '../shapes/values.ts';

const group = 'Server';
const choice = <const C extends readonly [string, ...string[]]>(choices: C, title: string, help: string) =>
  field(z.enum(choices).optional(), { title, help, group, example: choices[0] });
const flag = (title: string, help: string) => field(z.boolean().optional(), { title, help, group, example: true });

export const diskBuses = ['scsi', 'virtio', 'ide', 'usb'] as const;

/**
 * Extra image configuration of boot volumes: the keys that the platform's image configuration has, in snake case.
 * The platform refuses others only when the boot volume is changed, which is at the very end of a deployment.
 */
export const imageMetadata = () =>
  z.strictObject({
    operating_system: choice(
      ['linux', 'windows'],
      'Operating system',
      'OS that the server is optimized for. If not set, taken from the OS type of the guest.',
    ),
    uefi: flag('UEFI', 'Boot with UEFI. If not set, taken from the firmware of the guest.'),
    secure_boot: flag('Secure boot', 'Boot with secure boot. If not set, taken from the guest.'),
    architecture: choice(['x86', 'arm64'], 'Architecture', 'CPU architecture of the guest.'),
    boot_menu: flag('Boot menu', 'Show the boot menu of the BIOS.'),
    cdrom_bus: choice(diskBuses, 'CD-ROM bus', 'Bus of CD-ROM drives.'),
    disk_bus: choice(diskBuses, 'Disk bus', 'Bus of the boot volume. Overrides disk_bus of the environment.'),
    nic_model: choice(
      ['virtio', 'e1000', 'e1000e', 'ne2k_pci', 'pcnet', 'rtl8139', 'vmxnet3'],
      'NIC model',
      'Model of network interfaces.',
    ),
    operating_system_distro: field(text().optional(), {
      title: 'Distribution',
      help: 'Name of the OS distribution, for display.',
      group,
      example: 'debian',
    }),
    operating_system_version: field(text().optional(), {
      title: 'OS version',
      help: 'Version of the OS, for display.',
      group,
      example: '12',
    }),
    rescue_bus: choice(['virtio', 'sata', 'scsi', 'usb'], 'Rescue bus', 'Bus of the rescue image.'),
    rescue_device: choice(['disk', 'cdrom'], 'Rescue device', 'Device type of the rescue image.'),
    video_model: choice(
      ['virtio', 'vga', 'cirrus', 'vmvga', 'qxl', 'none'],
      'Video model',
      'Model of the graphics device.',
    ),
    virtio_scsi: flag('VirtIO SCSI', 'Attach disks through VirtIO SCSI.'),
  });
