import { z } from 'zod';
import type { JsonObject } from '../../../../shared/model/json.ts';
import { missing, parseEnvironment, storageMappingShape } from '../../cloud-resources/read-environment.ts';

/**
 * What the adapter reads of an effective environment (defaults, provider configuration and the VM's own values are
 * merged before). Loose: the strict shape with its findings stands with the plugin.
 */
const environmentSchema = z.looseObject({
  network_map: z.record(z.string(), z.string()).default({}),
  storage_mappings: storageMappingShape,
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
  return parseEnvironment(environmentSchema, environment);
}

/** What lists need of an environment that may still be half filled in: which project, which images. */
export function readScope(environment: JsonObject): Pick<DestinationEnvironment, 'project' | 'list_all_images'> {
  const { project, list_all_images } = environment;
  return {
    project: typeof project === 'string' && project !== '' ? project : undefined,
    list_all_images: list_all_images === true,
  };
}

/** A parameter that this step can't do without. @throws `cloud.parameter-missing` */
export function required(
  environment: DestinationEnvironment,
  key: 'availability_zone' | 'migr_network' | 'migr_machine_type',
): string {
  return environment[key] ?? missing(key);
}

export function workerImage(environment: DestinationEnvironment, os: 'linux' | 'windows'): string {
  return environment.migr_image_map[os] ?? missing(`migr_image_map.${os}`, `migr_image_map has no image for ${os}`);
}
