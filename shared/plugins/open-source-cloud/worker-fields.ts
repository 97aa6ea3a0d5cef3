import { z } from 'zod';
import { field } from '../field-meta.ts';
import { text } from '../shapes/values.ts';
import { workerImages } from '../shapes/worker-images.ts';

const group = 'Workers';
const images = { linux: 'ubuntu-24.04-worker', windows: 'windows-2022-worker' };

/** Keys of the destination environment that are about temporary workers. */
export const workerFields = {
  migr_image: field(text().optional(), {
    title: 'Worker image',
    help: 'Name or ID of the image for all workers: disk copy and OSMorphing. The name must be unique at the destination. Overrides the worker images by OS type.',
    group,
    example: 'ubuntu-24.04-worker',
    optionsFrom: 'images',
  }),
  migr_image_map: field(workerImages('Name or ID of the image', images).optional(), {
    title: 'Worker images by OS type',
    help: 'Worker images by OS type. Keys: linux, windows.',
    group,
    example: images,
  }),
  migr_network: field(text().optional(), {
    title: 'Worker network',
    help: 'Existing network for temporary workers. Without floating IPs, this computer needs a route to it.',
    group,
    example: 'private',
    optionsFrom: 'networks',
  }),
  migr_worker_use_fip: field(z.boolean().optional(), {
    title: 'Floating IPs for workers',
    help: 'Allocate floating IPs for workers from the worker floating IP pool.',
    group,
    example: true,
  }),
  migr_fip_pool_name: field(text().optional(), {
    title: 'Worker floating IP pool',
    help: 'External network for floating IPs of workers, optionally with a subnet: <network>/<subnet>. Only used with floating IPs for workers.',
    group,
    example: 'public/public-subnet',
    optionsFrom: 'floating_ip_pools',
  }),
  migr_flavor_name: field(text().optional(), {
    title: 'Worker flavor',
    help: 'Existing compute flavor for workers.',
    group,
    example: 'm1.small',
    optionsFrom: 'machine_types',
  }),
  migr_worker_boot_from_volume: field(z.boolean().optional(), {
    title: 'Boot workers from a volume',
    help: 'Boot workers from a volume that is created from the worker image.',
    group,
    example: true,
  }),
  migr_worker_volume_size: field(z.int().min(1).optional(), {
    title: 'Worker volume size',
    help: 'Size of the boot volume. Only used when workers boot from a volume. If not set, the disk size of the flavor is used.',
    group,
    unit: 'GB',
    example: 20,
  }),
  migr_worker_volume_type: field(text().optional(), {
    title: 'Worker volume type',
    help: 'Existing volume type for worker volumes. Only used when workers boot from a volume.',
    group,
    example: 'ssd',
    optionsFrom: 'volume_types',
  }),
  migr_worker_use_config_drive: field(z.boolean().optional(), {
    title: 'Config drive for workers',
    help: 'Pass metadata to workers on a config drive, for networks without a metadata service.',
    group,
    example: false,
  }),
};
