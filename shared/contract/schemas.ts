import { z } from 'zod';
import { endpointSchema, jsonObjectSchema } from '../model/endpoint.ts';
import { pluginIds } from '../model/plugin-id.ts';

// Shapes that travel over the contract and belong to no other file of the model.

export const checkReportSchema = z.object({
  passed: z.boolean(),
  steps: z.array(
    z.object({
      name: z.string(),
      outcome: z.enum(['passed', 'failed', 'warning', 'skipped']),
      evidence: z.string(),
      code: z.string().optional(),
    }),
  ),
});

/** An endpoint with what its last check found, if it ever was checked. */
export const checkedEndpointSchema = endpointSchema.extend({
  lastCheck: checkReportSchema
    .extend({
      at: z.string(),
      /** The endpoint was changed since. */
      isOutdated: z.boolean(),
    })
    .optional(),
});

export const vmSummarySchema = z.object({
  id: z.string(),
  name: z.string(),
  os_type: z.enum(['linux', 'windows', 'unknown']),
  power: z.enum(['running', 'stopped', 'unknown']),
  diskCount: z.number(),
  totalBytes: z.number(),
  folder: z.string().optional(),
  cluster: z.string().optional(),
  tags: z.array(z.string()).optional(),
});

/** What an account has to be allowed for one feature of a platform. */
export const featurePolicySchema = z.object({
  feature: z.string(),
  privileges: z.array(z.string()),
  isEssential: z.boolean(),
});

export const optionListSchema = z.array(
  z.object({ id: z.string(), name: z.string(), description: z.string().optional() }),
);

export const vaultStatusSchema = z.object({
  exists: z.boolean(),
  locked: z.boolean(),
  protection: z.string().optional(),
});

export const pluginDescriptionSchema = z.object({
  id: z.enum(pluginIds),
  title: z.string(),
  /** Which sides have parameters, and which of them this version can reach. */
  sides: z.array(z.object({ side: z.enum(['source', 'destination']), reachable: z.boolean() })),
  /** JSON Schema of the connection's form. */
  connection: jsonObjectSchema,
});

const queuedSchema = z.object({ running: z.int().nonnegative(), waiting: z.int().nonnegative() });
/** Bytes per second, or by time of day; neither: unlimited. */
export const bandwidthSchema = z.strictObject({
  bandwidthLimit: z.number().nonnegative().optional(),
  bandwidthProfile: z.string().max(2000).optional(),
});
/** With the bandwidth of all executions together. */
export const queueSchema = z.object({
  atOnce: z.int().positive(),
  ...bandwidthSchema.shape,
  executions: queuedSchema,
  deployments: queuedSchema,
});

export const name = z.string().trim().min(1).max(100);
/** An id, or a name that only one thing has. */
export const reference = z.string().min(1).max(200);
export const secretName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/);
export const nothing = z.object({});
