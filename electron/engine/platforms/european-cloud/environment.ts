import { z } from 'zod';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';

/**
 * What the adapter reads of an effective environment (defaults, provider configuration and the VM's own values are
 * merged before). Loose: the strict shape with its findings stands with the plugin.
 */
const environmentSchema = z.looseObject({
  network_map: z.record(z.string(), z.string()).default({}),
  storage_mappings: z
    .looseObject({
      default: z.string().optional(),
      backend_mappings: z.array(z.looseObject({ source: z.string(), destination: z.string() })).optional(),
      disk_mappings: z.array(z.looseObject({ disk_id: z.string(), destination: z.string() })).optional(),
    })
    .default({}),
  default_volume_performance_class: z.string().default(''),
  machine_type: z.string().optional(),
  project: z.string().optional(),
  keypair_name: z.string().optional(),
  delete_disks_on_server_termination: z.boolean().default(false),
  security_groups: z.array(z.string()).default([]),
  default_security_groups: z.array(z.string()).default([]),
  affinity_group: z.string().optional(),
  availability_zone: z.string().optional(),
  server_labels: z.array(z.string()).default([]),
  server_properties: z.record(z.string(), z.unknown()).default({}),
  use_public_ip: z.boolean().default(false),
  disk_bus: z.string().default('virtio'),
  use_config_drive: z.boolean().default(false),
  default_custom_boot_volume_image_metadata: z.record(z.string(), z.unknown()).default({}),
  custom_boot_volume_image_metadata: z.record(z.string(), z.unknown()).default({}),
  list_all_images: z.boolean().default(false),
  migr_image_map: z.record(z.string(), z.string()).default({}),
  migr_network: z.string().optional(),
  migr_machine_type: z.string().optional(),
  migr_worker_use_public_ip: z.boolean().default(true),
  migr_worker_volume_size: z.int().positive().optional(),
  migr_worker_volume_performance_class: z.string().optional(),
  migr_worker_debug_ssh_public_key: z.string().optional(),
  preserve_fixed_ips: z.boolean().default(false),
  data_transfer_mechanism: z.string().default('HTTPS'),
  set_dhcp: z.boolean().default(true),
  retain_user_credentials: z.boolean().default(false),
});

export type DestinationEnvironment = z.infer<typeof environmentSchema>;

/** @throws `general.invalid-input` naming the leaves that have another type than they must. */
export function readEnvironment(environment: JsonObject): DestinationEnvironment {
  // Null is what an unset key is in some documents; it means "not given" here as in the merge before.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== null && value !== ''));
  const parsed = environmentSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new CausewayError('general.invalid-input', `destination environment: ${issues.join('; ')}`, { details: { issues } });
}

/** What lists need of an environment that may still be half filled in: which project, which images. */
export function readScope(environment: JsonObject): Pick<DestinationEnvironment, 'project' | 'list_all_images'> {
  const { project, list_all_images } = environment;
  return { project: typeof project === 'string' && project !== '' ? project : undefined, list_all_images: list_all_images === true };
}

/** A parameter that this step can't do without. @throws `cloud.parameter-missing` */
export function required(environment: DestinationEnvironment, key: 'availability_zone' | 'migr_network' | 'migr_machine_type'): string {
  const value = environment[key];
  if (value === undefined) throw new CausewayError('cloud.parameter-missing', `${key} is not set`, { details: { parameter: key } });
  return value;
}

export function workerImage(environment: DestinationEnvironment, os: 'linux' | 'windows'): string {
  const image = environment.migr_image_map[os];
  if (image === undefined) {
    throw new CausewayError('cloud.parameter-missing', `migr_image_map has no image for ${os}`, { details: { parameter: `migr_image_map.${os}` } });
  }
  return image;
}
