import { z } from 'zod';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import { missing, parseEnvironment, storageMappingShape } from '../../../cloud-resources/read-environment.ts';

/**
 * What the adapter reads of an effective environment (defaults and the VM's own values are merged before). Loose: the
 * strict shape with its findings stands with the plugin.
 */
const environmentSchema = z.looseObject({
  network_map: z.record(z.string(), z.string()).default({}),
  storage_mappings: storageMappingShape,
  hypervisor_type: z.enum(['hyperv', 'qemu', 'kvm']).optional(),
  flavor_name: z.string().optional(),
  keypair_name: z.string().optional(),
  delete_disks_on_vm_termination: z.boolean().default(false),
  security_groups: z.array(z.string()).default([]),
  migr_image: z.string().optional(),
  migr_image_map: z.record(z.string(), z.string()).default({}),
  migr_network: z.string().optional(),
  migr_worker_use_fip: z.boolean().default(false),
  migr_fip_pool_name: z.string().optional(),
  migr_flavor_name: z.string().optional(),
  migr_worker_boot_from_volume: z.boolean().default(false),
  migr_worker_volume_size: z.int().positive().optional(),
  migr_worker_volume_type: z.string().optional(),
  migr_worker_use_config_drive: z.boolean().default(false),
  port_reuse_policy: z.enum(['keep_mac', 'replace_mac', 'reuse_ports']).default('keep_mac'),
  list_all_destination_networks: z.boolean().default(false),
  preserve_fixed_ips: z.boolean().default(false),
  server_group: z.string().optional(),
  use_floating_ip: z.boolean().default(false),
  floating_ip_pool: z.string().optional(),
  instance_tags: z.record(z.string(), z.unknown()).default({}),
  data_transfer_mechanism: z.string().default('HTTPS'),
});

export type DestinationEnvironment = z.infer<typeof environmentSchema>;

/** @throws `general.invalid-input` naming the leaves that have another type than they must. */
export function readEnvironment(environment: JsonObject): DestinationEnvironment {
  return parseEnvironment(environmentSchema, environment);
}

/** What lists need of an environment that may still be half filled in. */
export function listsAllNetworks(environment: JsonObject): boolean {
  return environment['list_all_destination_networks'] === true;
}

/** A parameter that this step can't do without. @throws `cloud.parameter-missing` */
export function required(environment: DestinationEnvironment, key: 'migr_network' | 'migr_flavor_name'): string {
  return environment[key] ?? missing(key);
}

/** The name of a worker's image, and the parameter that has it. @throws `cloud.parameter-missing` */
export function workerImage(
  environment: DestinationEnvironment,
  os: 'linux' | 'windows',
): { readonly name: string; readonly parameter: string } {
  if (environment.migr_image !== undefined) return { name: environment.migr_image, parameter: 'migr_image' };
  const parameter = `migr_image_map.${os}`;
  return {
    name:
      environment.migr_image_map[os] ??
      missing(parameter, `migr_image is not set, and migr_image_map has no image for ${os}`),
    parameter,
  };
}
