import { z } from 'zod';
import { pluginIds } from './plugin-id.ts';

/** One thing that a project reaches: what kind, where it is written, and its value. Secrets by name only. */
export const reachedSchema = z.object({
  kind: z.enum(['address', 'socket', 'file', 'program', 'access', 'certificate', 'secret', 'setting']),
  /** Title of the field, in English. */
  label: z.string(),
  /** Where that is the whole label: plugin, part and field, by which other languages have their words for it. */
  field: z.string().optional(),
  value: z.string(),
});
export type Reached = z.infer<typeof reachedSchema>;

export const endpointTrustSchema = z.object({
  id: z.string(),
  name: z.string(),
  plugin: z.enum(pluginIds),
  /**
   * `changed`: the file proposes another connection; the accepted one is used. `missing`: no connection on this computer.
   * `locked`: it was accepted, and can only be read once the vault is open.
   */
  state: z.enum(['accepted', 'new', 'changed', 'missing', 'locked']),
  /** Of what is proposed, where something is, else of what was accepted. */
  reaches: z.array(reachedSchema),
  /** What differs from what was accepted; `from` or `to` is left out where a field is added or removed. */
  changes: z.array(
    z.object({
      label: z.string(),
      field: z.string().optional(),
      from: z.string().optional(),
      to: z.string().optional(),
    }),
  ),
  /** Why a proposal can't be accepted. */
  problems: z.array(z.string()),
});
export type EndpointTrust = z.infer<typeof endpointTrustSchema>;

export const trustReportSchema = z.object({
  isAccepted: z.boolean(),
  folder: z.string(),
  endpoints: z.array(endpointTrustSchema),
  /** What the environments of replicas use beyond their endpoints, and whether that was accepted. */
  environments: z.array(reachedSchema.extend({ replicas: z.array(z.string()), isAccepted: z.boolean() })),
  /** How many endpoints and uses wait to be accepted. */
  pending: z.int().nonnegative(),
  /** Names exactly what is shown here; accepting takes it. */
  token: z.string(),
});
export type TrustReport = z.infer<typeof trustReportSchema>;
