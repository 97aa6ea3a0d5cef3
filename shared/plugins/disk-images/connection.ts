import { z } from 'zod';
import { field } from '../field-meta.ts';
import { guestFirmware, guestOsType } from '../shapes/guest.ts';
import { localPath } from '../shapes/values.ts';

/** Where the images are. Each image file, OVF or OVA in a folder is a VM; a subfolder is a VM of all its images. */
export const connection = z.strictObject({
  path: field(localPath(), {
    title: 'Folder or file',
    help: 'A folder with disk images, or one OVF, OVA or image file (raw, qcow2, VMDK, VHD, VHDX, VDI). Opened read-only.',
    group: 'Images',
    example: '/srv/exports/web-01.ova',
  }),
  os_type: guestOsType('Default for VMs from plain images. An OVF specifies the OS itself.', { builtIn: 'linux' }),
  firmware: guestFirmware('Default for VMs from plain images. Can be overridden in the environment of a VM.', {
    builtIn: 'bios',
  }),
});

export type DiskImagesConnection = z.infer<typeof connection>;
