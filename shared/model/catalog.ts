import { z } from 'zod';

/** What quotas are about, by the same words for every cloud. */
export const quotaKinds = ['servers', 'vcpus', 'memory_mb', 'volumes', 'volume_gb', 'nics', 'snapshots'] as const;
export type CatalogQuota = {
  readonly kind: (typeof quotaKinds)[number];
  readonly limit: number;
  readonly usage: number;
};

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
  machine_types: z
    .array(
      named.extend({ vcpus: z.number().optional(), memory_mb: z.number().optional(), disk_gb: z.number().optional() }),
    )
    .optional(),
  volume_types: z.array(named).optional(),
  security_groups: z.array(named).optional(),
  affinity_groups: z.array(named).optional(),
  availability_zones: z.array(named).optional(),
  keypairs: z.array(named).optional(),
  /** How much of what there may be, and how much of it is used; a negative limit means none. */
  quotas: z.array(z.object({ kind: z.enum(quotaKinds), limit: z.number(), usage: z.number() })).optional(),
});

export type Catalog = z.infer<typeof catalogSchema>;
