import { z } from 'zod';
import { field } from '../field-meta.ts';
import { optional, required } from '../shapes/leaf.ts';
import { mappingOf, text } from '../shapes/values.ts';
import { storageMapping, storageMappingExample } from '../storage-mapping.ts';
import { fields } from './fields.ts';

const classes = ['storage_premium_perf2', 'storage_premium_perf4'] as const;

export const destination = z.strictObject({
  network_map: field(mappingOf(text()), {
    title: 'Network map',
    help: 'Maps source networks to names or IDs of existing networks. One NIC is created on the mapped network for each source NIC.',
    group: 'Network',
    example: { 'VM Network': 'prod-net' },
    optionsFrom: 'networks',
    keysFrom: 'vm.networks',
  }),
  storage_mappings: field(
    storageMapping({ target: 'volume performance class', optionsFrom: 'volume_types', examples: classes }).optional(),
    {
      title: 'Storage mappings',
      help: 'Maps source disks or storage back ends to performance classes. If omitted or empty, the platform uses its default class. Unmapped disks can use the default class of the provider configuration.',
      group: 'Storage',
      example: storageMappingExample(classes),
    },
  ),
  machine_type: field(text().optional(), {
    title: 'Machine type',
    help: 'Existing machine type of the migrated server. If omitted, the smallest type with enough vCPUs and memory for the source VM is used. Windows guests need an explicit, Windows-compatible type.',
    group: 'Server',
    example: 'g1.2',
    optionsFrom: 'machine_types',
  }),
  project: field(text().optional(), {
    title: 'Project',
    help: 'ID of the project for all created resources, including workers. If not set, the project of the endpoint’s service account is used.',
    group: 'Placement',
    example: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11',
    optionsFrom: 'projects',
  }),
  keypair_name: field(text().optional(), {
    title: 'Key pair',
    help: 'Key pair that is injected through metadata. Has no effect if user credentials are retained.',
    group: 'Server',
    example: 'ops-key',
    optionsFrom: 'keypairs',
  }),
  delete_disks_on_server_termination: optional(fields.delete_disks_on_server_termination),
  security_groups: field(z.array(text()).optional(), {
    title: 'Security groups',
    help: 'Names or IDs of security groups in the endpoint’s project. Added to the default security groups of the provider configuration.',
    group: 'Network',
    example: ['web', 'ssh'],
    optionsFrom: 'security_groups',
  }),
  affinity_group: optional(fields.affinity_group),
  availability_zone: required(fields.availability_zone),
  server_labels: field(
    z
      .array(
        z
          .string()
          .min(1)
          .max(60)
          .regex(/^[^/,]*$/, 'must contain neither / nor ,'),
      )
      .max(50)
      .optional(),
    {
      title: 'Labels',
      help: 'Labels on the migrated server: at most 50, each with at most 60 characters and without / or comma. key=value sets a label with a value.',
      group: 'Server',
      example: ['env=prod', 'migrated'],
    },
  ),
  server_properties: optional(fields.server_properties),
  use_public_ip: optional(fields.use_public_ip),
  disk_bus: optional(fields.disk_bus),
  use_config_drive: optional(fields.use_config_drive),
  custom_boot_volume_image_metadata: optional(fields.image_metadata),
  migr_image_map: optional(fields.migr_image_map),
  migr_network: required(fields.migr_network),
  migr_machine_type: required(fields.migr_machine_type),
  migr_worker_use_public_ip: optional(fields.migr_worker_use_public_ip),
  migr_worker_volume_size: optional(fields.migr_worker_volume_size),
  migr_worker_volume_performance_class: optional(fields.migr_worker_volume_performance_class),
  preserve_fixed_ips: optional(fields.preserve_fixed_ips),
  volumes_are_zeroed: optional(fields.volumes_are_zeroed),
  data_transfer_mechanism: optional(fields.data_transfer_mechanism),
  set_dhcp: optional(fields.set_dhcp),
  retain_user_credentials: optional(fields.retain_user_credentials),
  windows_virtio_iso_url: optional(fields.windows_virtio_iso_url),
});

export type EuropeanCloudDestination = z.infer<typeof destination>;
