import { z } from 'zod';

const named = z.looseObject({ id: z.string(), name: z.string() });

/**
 * What a destination has, captured by `causeway catalog`, so that names and ranges can be checked later without a
 * network. A kind of resource that is absent is not checked. A resource is matched by id or by name.
 */
export const catalogSchema = z.looseObject({
  /** ISO 8601 time of the capture. */
  captured_at: z.string().optional(),
  plugin: z.string().optional(),
  networks: z.array(named.extend({ cidrs: z.array(z.string()).optional(), gateway: z.string().optional() })).optional(),
  images: z.array(named.extend({ min_disk_gb: z.number().optional(), os: z.string().optional() })).optional(),
  machine_types: z.array(named.extend({ vcpus: z.number().optional(), memory_mb: z.number().optional(), disk_gb: z.number().optional() })).optional(),
  volume_types: z.array(named).optional(),
  security_groups: z.array(named).optional(),
  affinity_groups: z.array(named).optional(),
  availability_zones: z.array(named).optional(),
  keypairs: z.array(named).optional(),
});

export type Catalog = z.infer<typeof catalogSchema>;
