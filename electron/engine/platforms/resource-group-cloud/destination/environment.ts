import { z } from 'zod';
import { builtInImages } from '../../../../../shared/plugins/resource-group-cloud/destination.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import { missing, parseEnvironment, storageMappingShape } from '../../../cloud-resources/read-environment.ts';

const image = z.looseObject({
  publisher: z.string(),
  offer: z.string(),
  sku: z.string(),
  version: z.string().default('latest'),
});

/**
 * What the adapter reads of an effective environment. Loose: the strict shape with its findings stands with the plugin. What the
 * per-VM interface has no key for (zone, tags, public address, …) is set for the endpoint.
 */
const environmentSchema = z.looseObject({
  location: z.string().optional(),
  resource_group: z.string().optional(),
  network_map: z.record(z.string(), z.string()).default({}),
  storage_map: storageMappingShape,
  storage_account_name: z.string().optional(),
  storage_container_name: z.string().optional(),
  vm_size: z.string().optional(),
  worker_size: z.string().optional(),
  linux_migr_image: image.default(builtInImages.linux_migr_image),
  windows_migr_image: image.default(builtInImages.windows_migr_image),
  preserve_nic_ips: z.boolean().default(false),
});

export type DestinationEnvironment = z.infer<typeof environmentSchema>;
export type WorkerImage = DestinationEnvironment['linux_migr_image'];

/** @throws `general.invalid-input` naming the leaves that have another type than they must. */
export function readEnvironment(environment: JsonObject): DestinationEnvironment {
  return parseEnvironment(environmentSchema, environment);
}

/** A parameter that this step can't do without. @throws `cloud.parameter-missing` */
export function required(environment: DestinationEnvironment, key: 'location' | 'vm_size' | 'worker_size'): string {
  return environment[key] ?? missing(key);
}

/** Where lists look, of an environment that may still be half filled in. */
export function readScope(environment: JsonObject): {
  readonly location: string | undefined;
  readonly group: string | undefined;
} {
  const text = (value: unknown): string | undefined =>
    typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  const location = text(environment['location']);
  return {
    location: location === undefined ? undefined : locationName(location),
    group: text(environment['resource_group']),
  };
}

/** A region as ids and lists have it: `West Europe` is `westeurope`. */
export const locationName = (text: string): string => text.toLowerCase().replaceAll(' ', '');

export const imageText = ({ publisher, offer, sku, version }: WorkerImage): string =>
  [publisher, offer, sku, version].join(':');
