import { z } from 'zod';
import { keyValuePairs, programUrl, text } from '../shapes/values.ts';
import { leaf } from '../shapes/leaf.ts';
import { workerImages } from '../shapes/worker-images.ts';
import { diskBuses, imageMetadata } from './image-metadata.ts';

/** Where stable VirtIO drivers for Windows are published. */
export const virtioIsoUrl =
  'https://fedorapeople.org/groups/virt/virtio-win/direct-downloads/stable-virtio/virtio-win.iso';

const webUrl = () => z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
const images = { linux: 'Ubuntu 24.04', windows: 'Windows Server 2022' };

/**
 * Keys that both the environment and the provider configuration have. The defaults are those of the configuration; an
 * environment value overrides them.
 */
export const fields = {
  delete_disks_on_server_termination: leaf(z.boolean(), {
    title: 'Delete the boot volume with the server',
    help: 'Delete the boot volume when the migrated server is deleted. Other volumes are always kept.',
    group: 'Storage',
    example: false,
    builtIn: false,
  }),
  set_dhcp: leaf(z.boolean(), {
    title: 'Configure DHCP',
    help: 'Configure the NICs of the guest for DHCP during OSMorphing, which also sets the right MTU and routes. If off, the guest must have a static network configuration.',
    group: 'Guest preparation',
    example: true,
    builtIn: true,
  }),
  volumes_are_zeroed: leaf(z.boolean(), {
    title: 'New volumes are zeroed',
    help: 'Unallocated blocks on new volumes contain zeros, so empty regions are skipped during the disk copy.',
    group: 'Data transfer',
    example: true,
    builtIn: true,
  }),
  migr_image_map: leaf(workerImages('Name or ID of the image', images), {
    title: 'Worker images',
    help: 'Existing worker images by OS type. Keys: linux, windows. Windows VMs need both. The OS of a worker must be the same version as the guest or newer, with the initialization agent prepared for first boot.',
    group: 'Workers',
    example: images,
  }),
  migr_machine_type: leaf(text(), {
    title: 'Worker machine type',
    help: 'Machine type of temporary workers.',
    group: 'Workers',
    example: 'g1.2',
    optionsFrom: 'machine_types',
  }),
  migr_network: leaf(text(), {
    title: 'Worker network',
    help: 'Name or ID of the network for worker NICs. Without public IPs for workers, this computer needs a route to it.',
    group: 'Workers',
    example: 'migration-net',
    optionsFrom: 'networks',
  }),
  migr_worker_use_public_ip: leaf(z.boolean(), {
    title: 'Public IPs for workers',
    help: 'Allocate public IPs for temporary workers.',
    group: 'Workers',
    example: true,
    builtIn: true,
  }),
  migr_worker_volume_size: leaf(z.int().min(1), {
    title: 'Worker volume size',
    help: 'Size of the boot volume of workers. If not set, the minimum size of the image or the size from the worker machine type is used.',
    group: 'Workers',
    unit: 'GB',
    example: 20,
  }),
  migr_worker_volume_performance_class: leaf(text(), {
    title: 'Worker volume performance class',
    help: 'Performance class of worker volumes.',
    group: 'Workers',
    example: 'storage_premium_perf2',
    optionsFrom: 'volume_types',
  }),
  server_properties: leaf(keyValuePairs(), {
    title: 'Properties',
    help: 'Key-value pairs that are set as properties on the migrated server.',
    group: 'Server',
    example: { owner: 'web-team' },
  }),
  preserve_fixed_ips: leaf(z.boolean(), {
    title: 'Keep fixed IPs',
    help: 'Each destination NIC gets the fixed private IPv4 address of the source NIC, which must be in the range of the mapped network. IPv6 and MAC addresses are not kept. If off, the platform assigns addresses.',
    group: 'Network',
    example: false,
    builtIn: false,
  }),
  use_public_ip: leaf(z.boolean(), {
    title: 'Public IP',
    help: 'Allocate a public IP and attach it to the first NIC of the migrated server.',
    group: 'Network',
    example: false,
    builtIn: false,
  }),
  affinity_group: leaf(text(), {
    title: 'Affinity group',
    help: 'Name or ID of the affinity group for the migrated server.',
    group: 'Placement',
    example: 'web-anti-affinity',
    optionsFrom: 'affinity_groups',
  }),
  availability_zone: leaf(text(), {
    title: 'Availability zone',
    help: 'Zone for servers and volumes, including those of workers.',
    group: 'Placement',
    example: 'eu01-1',
    optionsFrom: 'availability_zones',
  }),
  data_transfer_mechanism: leaf(z.enum(['HTTPS', 'SSH']), {
    title: 'Data transfer',
    help: 'How disk data is sent to workers. HTTPS (TCP/5566) is faster but may be blocked by firewalls. SSH (TCP/22) is slower but usually allowed. SSH access to the worker is always needed.',
    group: 'Data transfer',
    example: 'HTTPS',
    builtIn: 'HTTPS',
  }),
  retain_user_credentials: leaf(z.boolean(), {
    title: 'Retain user credentials',
    help: 'Configure the guest initialization agent so that it creates no user, does not disable root or existing users, does not disable SSH password sign-in, and locks no account. No key pair is installed then.',
    group: 'Guest preparation',
    example: false,
    builtIn: false,
  }),
  windows_virtio_iso_url: leaf(webUrl(), {
    reach: 'address',
    title: 'VirtIO drivers for Windows',
    help: 'URL of an ISO with VirtIO drivers for Windows guests. It must be reachable from the OSMorphing worker. Append #sha256= and a digest to verify the download.',
    group: 'Guest preparation',
    example: virtioIsoUrl,
    builtIn: virtioIsoUrl,
  }),
  disk_bus: leaf(z.enum(diskBuses), {
    title: 'Disk bus',
    help: 'Bus that the migrated volumes are attached to. The guest needs the matching drivers.',
    group: 'Storage',
    example: 'virtio',
    builtIn: 'virtio',
  }),
  use_config_drive: leaf(z.boolean(), {
    title: 'Config drive',
    help: 'Pass metadata to the migrated server on a config drive.',
    group: 'Server',
    example: false,
    builtIn: false,
  }),
  image_metadata: leaf(imageMetadata(), {
    title: 'Boot volume image metadata',
    help: 'Additional image configuration of the boot volume. operating_system, uefi and secure_boot are taken from the guest and can be overridden here. disk_bus can be overridden for the boot volume.',
    group: 'Server',
    example: { operating_system_distro: 'debian' },
  }),
  program_url: leaf(programUrl(), {
    reach: 'address',
    title: 'URL',
    help: 'Download address of a program.',
    group: 'Guest preparation',
  }),
};
