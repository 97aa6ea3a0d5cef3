import { z } from 'zod';
import { field } from '../field-meta.ts';
import type { ProviderConfigurationDefinition } from '../plugin-definition.ts';
import { optional } from '../shapes/leaf.ts';
import { text } from '../shapes/values.ts';
import { fields } from './fields.ts';

/** Where the installer of the Windows guest initialization agent is published. */
export const windowsGuestAgentUrl = 'https://www.cloudbase.it/downloads/CloudbaseInitSetup_x64.zip';

/** A Base64 text that holds an SSH public key in its usual one-line form. */
const encodedSshKey = z
  .base64({ error: 'must be Base64' })
  .refine(
    (value) => /^(?:ssh-|ecdsa-|sk-)/.test(decodedStart(value)),
    'must contain an SSH public key, e.g. ssh-ed25519 …',
  );

/** The first letters of a Base64 text; enough to tell a key, and no runtime's decoder is needed. */
function decodedStart(base64: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  let bits = '';
  for (const letter of base64.slice(0, 16)) bits += Math.max(0, alphabet.indexOf(letter)).toString(2).padStart(6, '0');
  return (bits.match(/.{8}/g) ?? []).map((byte) => String.fromCharCode(parseInt(byte, 2))).join('');
}

const digestUrl = {
  ...fields.program_url,
  schema: fields.program_url.schema.refine(
    (url) => !url.includes('#') || /#sha256=[0-9a-f]{64}$/i.test(url),
    'must end with #sha256= and 64 hexadecimal digits, or without a fragment',
  ),
};

export const configuration = z.strictObject({
  list_all_images: field(z.boolean().optional(), {
    title: 'List all images',
    help: 'List all public images, including earlier builds. There can be more than 2000, which slows down dialogs.',
    group: 'Workers',
    example: false,
    builtIn: false,
  }),
  delete_disks_on_server_termination: optional(fields.delete_disks_on_server_termination),
  set_dhcp: optional(fields.set_dhcp),
  volumes_are_zeroed: optional(fields.volumes_are_zeroed),
  default_volume_performance_class: field(z.string().optional(), {
    title: 'Default volume performance class',
    help: 'Performance class for disks that storage_mappings does not map. If empty, the platform uses its default class.',
    group: 'Storage',
    example: 'storage_premium_perf2',
    builtIn: '',
    optionsFrom: 'volume_types',
  }),
  default_security_groups: field(z.array(text()).optional(), {
    title: 'Default security groups',
    help: 'Names or IDs of security groups for every migrated server, in addition to those of its environment.',
    group: 'Network',
    example: ['default', 'monitoring'],
    builtIn: [],
    optionsFrom: 'security_groups',
  }),
  migr_image_map: optional(fields.migr_image_map, { builtIn: {} }),
  migr_machine_type: optional(fields.migr_machine_type),
  migr_network: optional(fields.migr_network),
  migr_worker_use_public_ip: optional(fields.migr_worker_use_public_ip),
  migr_worker_debug_ssh_public_key: field(encodedSshKey.optional(), {
    reach: 'access',
    title: 'SSH key for debugging workers',
    help: 'SSH public key in Base64 that is added to workers for troubleshooting.',
    group: 'Workers',
    multiline: true,
    example: 'c3NoLWVkMjU1MTkgQUFBQUMzTnphQzFsWkRJMU5URTVBQUFBSUV4YW1wbGUgbWU=',
  }),
  migr_worker_volume_size: optional(fields.migr_worker_volume_size),
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
      help: 'Labels on migrated servers, separated by commas.',
      group: 'Server',
      example: ['migrated'],
      builtIn: [],
    },
  ),
  server_properties: optional(fields.server_properties, { builtIn: {} }),
  preserve_fixed_ips: optional(fields.preserve_fixed_ips),
  use_public_ip: optional(fields.use_public_ip),
  affinity_group: optional(fields.affinity_group),
  migr_worker_volume_performance_class: optional(fields.migr_worker_volume_performance_class),
  data_transfer_mechanism: optional(fields.data_transfer_mechanism),
  availability_zone: optional(fields.availability_zone),
  default_custom_boot_volume_image_metadata: optional(fields.image_metadata, {
    title: 'Default boot volume image metadata',
    help: 'Additional image configuration of boot volumes. operating_system, uefi and secure_boot are taken from the guest and can be overridden. Values of an environment override these.',
    builtIn: {},
  }),
  retain_user_credentials: optional(fields.retain_user_credentials),
  windows_virtio_iso_url: optional(fields.windows_virtio_iso_url),
  disk_bus: optional(fields.disk_bus),
  use_config_drive: optional(fields.use_config_drive),
  winguestinit_x64_url: optional(digestUrl, {
    title: 'Windows guest initialization agent',
    help: 'URL of the ZIP file with the Windows guest initialization agent for amd64. Append #sha256= and a digest to verify the download. Required for http://.',
    example: windowsGuestAgentUrl,
    builtIn: windowsGuestAgentUrl,
  }),
});

export type EuropeanCloudConfiguration = z.infer<typeof configuration>;

export const providerConfiguration: ProviderConfigurationDefinition = {
  section: 'european_cloud_migration_provider',
  schema: configuration,
  mergeRules: [
    { kind: 'join', from: 'default_security_groups', into: 'security_groups' },
    {
      kind: 'merge-under',
      from: 'default_custom_boot_volume_image_metadata',
      into: 'custom_boot_volume_image_metadata',
    },
  ],
};
