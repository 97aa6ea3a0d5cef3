import { z } from 'zod';
import { field } from '../field-meta.ts';
import { mappingOf, text } from '../shapes/values.ts';
import { workerImages } from '../shapes/worker-images.ts';
import { storageMapping, storageMappingExample } from '../storage-mapping.ts';

const pools = ['/oracle/public/storage/default', '/oracle/public/storage/latency'] as const;
const images = { linux: '/oracle/public/OL_8.9_UEKR6_x86_64', windows: '/Compute-a488347/me@example.com/Windows_2022' };

export const destination = z.strictObject({
  network_map: field(mappingOf(text()).optional(), {
    title: 'Network map',
    help: 'Maps source network names to names of existing IP networks. Each NIC is attached to the mapped network.',
    group: 'Network',
    example: { 'VM Network': 'ipnet-prod' },
    optionsFrom: 'networks',
    keysFrom: 'vm.networks',
  }),
  storage_mappings: field(
    storageMapping({ target: 'storage pool', optionsFrom: 'volume_types', examples: pools }).optional(),
    {
      title: 'Storage mappings',
      help: 'Maps source disks or storage back ends to storage pools.',
      group: 'Storage',
      example: storageMappingExample(pools),
    },
  ),
  migr_image_map: field(workerImages('Image', images).optional(), {
    title: 'Worker images',
    help: 'Worker images by OS type. Keys: linux, windows.',
    group: 'Workers',
    example: images,
  }),
  migr_shape_name: field(text().optional(), {
    title: 'Worker shape',
    help: 'Shape of temporary worker VMs.',
    group: 'Workers',
    example: 'oc3',
    optionsFrom: 'machine_types',
  }),
  shape_name: field(text().optional(), {
    title: 'Shape',
    help: 'Shape of the migrated VM. If omitted, the smallest sufficient shape is used.',
    group: 'Server',
    example: 'oc4',
    optionsFrom: 'machine_types',
  }),
  default_volume_pool: field(text().optional(), {
    title: 'Default storage pool',
    help: 'Storage pool for disks that are not mapped by disk or by storage back end.',
    group: 'Storage',
    example: pools[0],
    optionsFrom: 'volume_types',
  }),
  keypair_name: field(text().optional(), {
    title: 'Key pair',
    help: 'Existing key pair of the account, installed on the migrated instance.',
    group: 'Server',
    example: 'ops-key',
    optionsFrom: 'keypairs',
  }),
  set_public_ip: field(z.boolean().optional(), {
    title: 'Public IP',
    help: 'Attach a public IP to the first virtual NIC of the migrated instance.',
    group: 'Network',
    example: false,
  }),
});
