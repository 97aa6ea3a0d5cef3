import { z } from 'zod';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { Disk, Vm } from '../../../../../shared/model/vm.ts';
import { parseEnvironment, storageMappingShape } from '../../../cloud-resources/read-environment.ts';
import { resolvedOrThrow, resolveText } from '../../../cloud-resources/resolve-reference.ts';
import { volumeTypeOf } from '../../../cloud-resources/volume-type.ts';
import type { WorkerRole } from '../../../ports/destination-platform.ts';
import { workerOs } from '../../../workers/worker-ports.ts';
import type { WorkerWish } from '../cloud/start-worker.ts';
import { storagePools } from '../client/storage.ts';

/**
 * What the adapter reads of an effective environment (defaults and the VM's own values are merged before). Loose: the
 * strict shape with its findings stands with the plugin.
 */
const environmentSchema = z.looseObject({
  network_map: z.record(z.string(), z.string()).default({}),
  storage_mappings: storageMappingShape,
  migr_image_map: z.record(z.string(), z.string()).default({}),
  migr_shape_name: z.string().optional(),
  shape_name: z.string().optional(),
  default_volume_pool: z.string().optional(),
  keypair_name: z.string().optional(),
  set_public_ip: z.boolean().default(false),
});

export type DestinationEnvironment = z.infer<typeof environmentSchema>;

/** @throws `general.invalid-input` naming the leaves that have another type than they must */
export function readEnvironment(environment: JsonObject): DestinationEnvironment {
  return parseEnvironment(environmentSchema, environment);
}

export function workerWish(
  { migr_image_map: images, migr_shape_name: shape }: DestinationEnvironment,
  role: WorkerRole,
): WorkerWish {
  const os = workerOs(role);
  return {
    image: { parameter: `migr_image_map.${os}`, name: images[os] },
    shape: { parameter: 'migr_shape_name', name: shape },
  };
}

/** The disk that the source boots from; the first one when the source does not say. */
export function bootDiskOf(vm: Pick<Vm, 'disks'>): Disk | undefined {
  return vm.disks.find((disk) => disk.bootable === true) ?? vm.disks[0];
}

/** The pool of a disk's volume. @throws `cloud.name-unknown` */
export function poolOf(disk: Disk, environment: DestinationEnvironment): string {
  const wanted = volumeTypeOf(disk, environment.storage_mappings, environment.default_volume_pool) ?? storagePools[0];
  return resolvedOrThrow('storage pool', 'storage_mappings', wanted, resolveText(storagePools, wanted)).name;
}
