import { z } from 'zod';
import { field } from '../field-meta.ts';
import { mappingOf, text } from '../shapes/values.ts';
import { workerImages } from '../shapes/worker-images.ts';
import { storageMapping, storageMappingExample } from '../storage-mapping.ts';

const attachmentTypes = ['paravirtualized', 'iscsi'] as const;
const images = {
  linux: 'ocid1.image.oc1.eu-frankfurt-1.aaaalinux',
  windows: 'ocid1.image.oc1.eu-frankfurt-1.aaaawindows',
};

const mappedNetwork = z.strictObject({
  id: field(text(), {
    title: 'Destination network',
    help: 'ID of the destination network for NICs on the source network.',
    group: 'Network',
    example: 'ocid1.subnet.oc1.eu-frankfurt-1.aaaaprod',
    optionsFrom: 'subnets',
    takesIds: true,
  }),
  security_groups: field(z.array(text()).optional(), {
    title: 'Security groups',
    help: 'IDs of security groups for these NICs.',
    group: 'Network',
    example: ['ocid1.networksecuritygroup.oc1.eu-frankfurt-1.aaaaweb'],
    optionsFrom: 'security_groups',
    takesIds: true,
  }),
});

export const destination = z.strictObject({
  availability_domain: field(text().optional(), {
    title: 'Availability domain',
    help: 'ID of the availability domain for instances and volumes.',
    group: 'Placement',
    example: 'Uocm:EU-FRANKFURT-1-AD-1',
    optionsFrom: 'availability_zones',
  }),
  network_map: field(mappingOf(mappedNetwork).optional(), {
    title: 'Network map',
    help: 'Maps source network names to IDs of destination networks, with optional security groups.',
    group: 'Network',
    example: { 'VM Network': { id: 'ocid1.subnet.oc1.eu-frankfurt-1.aaaaprod' } },
    keysFrom: 'vm.networks',
  }),
  storage_mappings: field(
    storageMapping({
      target: 'volume attachment type',
      optionsFrom: 'attachment_types',
      examples: attachmentTypes,
    }).optional(),
    {
      title: 'Storage mappings',
      help: 'Maps source disks or storage back ends to volume attachment types. Root disks have no attachment type.',
      group: 'Storage',
      example: storageMappingExample(attachmentTypes),
    },
  ),
  use_pv_mode: field(z.boolean().optional(), {
    title: 'Paravirtualized mode',
    help: 'Paravirtualized mode for instances on BIOS firmware.',
    group: 'Server',
    example: true,
  }),
  migr_image_map: field(workerImages('Image ID', images, { takesIds: true }).optional(), {
    title: 'Worker images',
    help: 'Image IDs of workers by OS type. Keys: linux, windows.',
    group: 'Workers',
    example: images,
  }),
  migr_subnet_id: field(text().optional(), {
    title: 'Worker subnet',
    help: 'ID of the subnet for worker NICs.',
    group: 'Workers',
    example: 'ocid1.subnet.oc1.eu-frankfurt-1.aaaaworkers',
    optionsFrom: 'subnets',
    takesIds: true,
  }),
  migr_shape_name: field(text().optional(), {
    title: 'Worker shape',
    help: 'Shape of worker instances.',
    group: 'Workers',
    example: 'VM.Standard2.1',
    optionsFrom: 'machine_types',
  }),
  compartment: field(text().optional(), {
    title: 'Compartment',
    help: 'Compartment in which the migration or replica runs.',
    group: 'Placement',
    example: 'ocid1.compartment.oc1..aaaamigrations',
    optionsFrom: 'compartments',
  }),
  vcn_compartment: field(text().optional(), {
    title: 'Compartment of the networks',
    help: 'Compartment of the virtual networks, if they are in another compartment.',
    group: 'Placement',
    example: 'ocid1.compartment.oc1..aaaanetworks',
    optionsFrom: 'compartments',
  }),
  set_public_ip: field(z.boolean().optional(), {
    title: 'Public IP',
    help: 'Assign a public IP to the migrated VM.',
    group: 'Network',
    example: false,
  }),
  shape_name: field(text().optional(), {
    title: 'Shape',
    help: 'Shape of the migrated instance.',
    group: 'Server',
    example: 'VM.Standard2.2',
    optionsFrom: 'machine_types',
  }),
});
