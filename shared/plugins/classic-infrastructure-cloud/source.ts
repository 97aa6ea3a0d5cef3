import { z } from 'zod';
import { field } from '../field-meta.ts';
import { text } from '../shapes/values.ts';

const group = 'Workers';

export const source = z.strictObject({
  export_image_name: field(text().optional(), {
    title: 'Worker image',
    help: 'Linux image for temporary export VMs.',
    group,
    example: '/oracle/public/OL_8.9_UEKR6_x86_64',
    optionsFrom: 'images',
  }),
  export_img_username: field(text().optional(), {
    title: 'User name on the worker',
    help: 'SSH user name on the disk copy worker. Depends on the image.',
    group,
    example: 'opc',
  }),
  export_shape_name: field(text().optional(), {
    title: 'Worker shape',
    help: 'Shape of temporary export VMs.',
    group,
    example: 'oc3',
    optionsFrom: 'machine_types',
  }),
  export_root_disk_size: field(z.int().min(1).optional(), {
    title: 'Size of the worker’s root disk',
    help: 'Size of the root disk of workers. It only has to fit the selected image: an export needs no additional space.',
    group,
    unit: 'GB',
    example: 20,
  }),
});
