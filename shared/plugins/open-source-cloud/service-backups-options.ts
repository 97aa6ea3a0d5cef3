import { z } from 'zod';
import { field } from '../field-meta.ts';
import { text } from '../shapes/values.ts';

const group = 'Export worker';

/** Options of the mechanism that copies volumes and reads them through a temporary export worker. */
export const serviceBackupsOptions = z.strictObject({
  export_interim_volume_type: field(text().optional(), {
    title: 'Interim volume type',
    help: 'Existing volume type for temporary volumes of instance image exports. Secondary volumes keep their own type, so that no data is moved between storage back ends.',
    group,
    example: 'ssd',
    optionsFrom: 'volume_types',
  }),
  export_image: field(text().optional(), {
    title: 'Worker image',
    help: 'Name or ID of an Ubuntu image for the temporary export worker. The image must be visible in the endpoint’s project and contain the Linux guest initialization agent, prepared for first boot.',
    group,
    example: 'ubuntu-24.04-server',
    optionsFrom: 'images',
  }),
  export_worker_use_config_drive: field(z.boolean().optional(), {
    title: 'Config drive for the worker',
    help: 'Pass metadata to export workers on a config drive, for networks without a metadata service.',
    group,
    example: false,
  }),
  export_network: field(text().optional(), {
    title: 'Worker network',
    help: 'Name or ID of an existing network for the export worker: in the endpoint’s project, shared or external. Without floating IPs, this computer needs a route to it.',
    group,
    example: 'admin-net',
    optionsFrom: 'networks',
  }),
  export_flavor_name: field(text().optional(), {
    title: 'Worker flavor',
    help: 'Existing compute flavor for export workers. It must be sufficient for the worker image.',
    group,
    example: 'm1.small',
    optionsFrom: 'machine_types',
  }),
  export_worker_use_fip: field(z.boolean().optional(), {
    title: 'Floating IPs for workers',
    help: 'Allocate floating IPs for export workers from the floating IP pool.',
    group,
    example: true,
  }),
  export_fip_pool_name: field(text().optional(), {
    title: 'Floating IP pool',
    help: 'External network for floating IPs of workers. This computer needs a route to it. Only used with floating IPs for workers.',
    group,
    example: 'public',
    optionsFrom: 'floating_ip_pools',
  }),
  export_worker_boot_from_volume: field(z.boolean().optional(), {
    title: 'Boot the worker from a volume',
    help: 'Copy the worker image to a volume and boot the worker from it.',
    group,
    example: true,
  }),
  export_worker_volume_type: field(text().optional(), {
    title: 'Worker volume type',
    help: 'Existing volume type for the worker’s root disk. Only used when the worker boots from a volume.',
    group,
    example: 'ssd',
    optionsFrom: 'volume_types',
  }),
  export_worker_volume_size: field(z.int().min(1).optional(), {
    title: 'Worker volume size',
    help: 'Size of the boot volume. Only used when the worker boots from a volume. If not set, the disk size of the flavor is used.',
    group,
    unit: 'GB',
    example: 20,
  }),
});
