import { z } from 'zod';
import { field } from '../field-meta.ts';
import { guestFirmware, guestOsType } from '../shapes/guest.ts';
import { localPath } from '../shapes/local-path.ts';

/** Where the images are. Each image file, OVF or OVA in a folder is a VM; a subfolder is a VM of all its images. */
export const connection = z.strictObject({
  path: field(localPath(), {
    title: 'Folder or file',
    help: 'A folder with disk images, or one OVF, OVA or image file (raw, qcow2, VMDK, VHD, VHDX, VDI). It is only read.',
    group: 'Images',
    example: '/srv/exports/web-01.ova',
  }),
  os_type: guestOsType('Assumed for VMs whose images do not say what they hold. An OVF says it; plain images do not.', { builtIn: 'linux' }),
  firmware: guestFirmware('Assumed for VMs whose images do not say how they start. A VM can override it in its environment.', { builtIn: 'bios' }),
});

export type DiskImagesConnection = z.infer<typeof connection>;
