import { z } from 'zod';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { Disk, Vm } from '../../../../../shared/model/vm.ts';
import { missing, parseEnvironment, storageMappingShape } from '../../../cloud-resources/read-environment.ts';
import { resolvedOrThrow, resolveText } from '../../../cloud-resources/resolve-reference.ts';
import { volumeTypeOf, type StorageMapping } from '../../../cloud-resources/volume-type.ts';
import { attachmentTypes, type AttachmentType } from '../client/compute.ts';

/**
 * What the adapter reads of an effective environment (defaults and the VM's own values are merged before). Loose: the
 * strict shape with its findings stands with the plugin.
 */
const environmentSchema = z.looseObject({
  availability_domain: z.string().optional(),
  network_map: z
    .record(z.string(), z.looseObject({ id: z.string(), security_groups: z.array(z.string()).nullish() }))
    .default({}),
  storage_mappings: storageMappingShape,
  /** The contract spells it both ways. */
  storage_mapping: storageMappingShape.removeDefault().optional(),
  use_pv_mode: z.boolean().default(false),
  migr_image_map: z.record(z.string(), z.string()).default({}),
  migr_subnet_id: z.string().optional(),
  migr_shape_name: z.string().optional(),
  compartment: z.string().optional(),
  vcn_compartment: z.string().optional(),
  set_public_ip: z.boolean().default(false),
  shape_name: z.string().optional(),
});

export type DestinationEnvironment = z.infer<typeof environmentSchema>;

/** @throws `general.invalid-input` naming the leaves that have another type than they must. */
export function readEnvironment(environment: JsonObject): DestinationEnvironment {
  return parseEnvironment(environmentSchema, environment);
}

/** What lists need of an environment that may still be half filled in. */
export type Scope = Pick<DestinationEnvironment, 'compartment' | 'vcn_compartment' | 'availability_domain'>;

export function readScope(environment: JsonObject): Scope {
  const text = (key: string): string | undefined => {
    const value = environment[key];
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  return {
    compartment: text('compartment'),
    vcn_compartment: text('vcn_compartment'),
    availability_domain: text('availability_domain'),
  };
}

type Required = 'availability_domain' | 'migr_subnet_id' | 'migr_shape_name' | 'compartment' | 'shape_name';

/** A parameter that this step can't do without. @throws `cloud.parameter-missing` */
export function required(environment: Pick<DestinationEnvironment, Required>, key: Required): string {
  return environment[key] ?? missing(key);
}

export function workerImage(environment: DestinationEnvironment, os: 'linux' | 'windows'): string {
  return environment.migr_image_map[os] ?? missing(`migr_image_map.${os}`, `migr_image_map has no image for ${os}`);
}

/** The disk that the source boots from; the first one when the source does not say. */
export function bootDiskOf(vm: Pick<Vm, 'disks'>): Disk | undefined {
  return vm.disks.find((disk) => disk.bootable === true) ?? vm.disks[0];
}

/**
 * How a data disk is attached to the migrated VM; paravirtualized where nothing says otherwise. A root disk has no attachment type: the
 * instance's launch options say its bus.
 *
 * @throws `cloud.name-unknown`
 */
export function attachmentOf(disk: Disk, environment: DestinationEnvironment): AttachmentType {
  const mapped = volumeTypeOf(disk, mappingOf(environment), 'paravirtualized') ?? 'paravirtualized';
  return resolvedOrThrow('volume attachment type', 'storage_mappings', mapped, resolveText(attachmentTypes, mapped))
    .name as AttachmentType;
}

/** The mapping under either of its names. */
export function mappingOf({ storage_mapping, storage_mappings }: DestinationEnvironment): StorageMapping {
  return storage_mapping ?? storage_mappings;
}
