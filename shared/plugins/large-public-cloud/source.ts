import { z } from 'zod';
import { field } from '../field-meta.ts';
import { flag, text } from '../shapes/values.ts';
import { perOs } from '../shapes/worker-images.ts';

export const source = z.strictObject({
  migr_image_map: field(
    perOs(
      text,
      {
        linux: 'Linux worker image',
        windows: 'Windows worker image',
        help: {
          linux: 'Machine image ID for temporary Linux workers.',
          windows: 'Machine image ID for temporary Windows workers.',
        },
        example: { linux: 'ami-0a1b2c3d4e5f60718', windows: 'ami-0918273645f5e4d3c' },
      },
      { group: 'Workers', optionsFrom: 'images' },
    ).optional(),
    {
      title: 'Worker images',
      help: 'Machine image IDs for temporary workers, by OS type. Keys: linux, windows.',
      group: 'Workers',
      example: { linux: 'ami-0a1b2c3d4e5f60718', windows: 'ami-0918273645f5e4d3c' },
    },
  ),
  worker_instance_type: field(text().optional(), {
    title: 'Worker instance type',
    help: 'Instance type of temporary workers. More memory and network bandwidth speed up replication.',
    group: 'Workers',
    optionsFrom: 'machine_types',
    example: 't3.medium',
    builtIn: 't2.medium',
  }),
  shutdown_migrated_instance: field(flag().optional(), {
    title: 'Shut down the VM',
    help: 'Shut down the VM during the migration, so that its data is consistent. The VM stays off until you start it again.',
    group: 'Snapshot',
    example: false,
  }),
});
