import { z } from 'zod';
import { afterBootChecksSchema } from './after-boot-check.ts';
import { jsonObjectSchema } from './endpoint.ts';

/** One disk of a replica and what is known of its destination volume. */
export const replicaDiskSchema = z.object({
  diskId: z.string(),
  sizeBytes: z.number(),
  volumeId: z.string().optional(),
  /** The last execution after which the volume was equal to the source's snapshot. */
  synchronisedBy: z.string().optional(),
  /** When that snapshot was taken. */
  synchronisedTo: z.string().optional(),
});
export type ReplicaDisk = z.infer<typeof replicaDiskSchema>;

/** Keys by side. */
export const clearedSchema = z.strictObject({
  source: z.array(z.string().max(200)).max(500),
  destination: z.array(z.string().max(200)).max(500),
});

/** A VM's standing relation to its destination volumes. Environments hold secrets by reference only. */
export const replicaSchema = z.object({
  id: z.string(),
  name: z.string(),
  sourceEndpointId: z.string(),
  destinationEndpointId: z.string(),
  vmId: z.string(),
  vmName: z.string(),
  sourceEnvironment: jsonObjectSchema,
  destinationEnvironment: jsonObjectSchema,
  /** Text of the provider configuration file that gave defaults when the replica was made. */
  providerConfiguration: z.string().optional(),
  /** The wave whose values it takes. */
  wave: z.string().optional(),
  /** Keys of each side whose values from weaker layers do not count. */
  cleared: clearedSchema.optional(),
  /** What has to answer once it is deployed. */
  checks: afterBootChecksSchema.optional(),
  createdAt: z.string(),
  lastSuccess: z.string().optional(),
  lastExecutionId: z.string().optional(),
  disks: z.array(replicaDiskSchema),
});
export type Replica = z.infer<typeof replicaSchema>;
