import { z } from 'zod';
import { jsonObjectSchema } from './endpoint.ts';
import { errorRecordSchema } from './error-record.ts';

/** Why an entry should not be there any more. */
export const orphanReasons = ['execution-over', 'replica-deleted', 'resource-gone', 'not-in-ledger'] as const;

/** One created resource in a cloud or on a source, as it is shown. */
export const ledgerItemSchema = z.object({
  entryId: z.string(),
  endpointId: z.string(),
  endpointName: z.string().optional(),
  replicaId: z.string().optional(),
  executionId: z.string().optional(),
  kind: z.string(),
  key: z.string(),
  /** What finds it on the platform. */
  name: z.string(),
  lifetime: z.enum(['temporary', 'replica', 'deployment']),
  state: z.enum(['intended', 'existing', 'removing', 'removed']),
  resourceId: z.string().optional(),
  details: jsonObjectSchema,
  createdAt: z.string(),
  orphan: z.enum(orphanReasons).optional(),
  /** The computer that created it, when that is another one: the resource is not in this ledger. */
  madeBy: z.string().optional(),
});
export type LedgerItem = z.infer<typeof ledgerItemSchema>;

/** What a check of the platforms learned at one endpoint, as a source or as a destination. */
export const endpointCheckSchema = z.object({
  endpointId: z.string(),
  endpointName: z.string(),
  side: z.enum(['source', 'destination']),
  /** `exists-only`: recorded resources were looked up; the platform has no list of what is not in the ledger. */
  outcome: z.enum(['checked', 'exists-only', 'not-checked']),
  error: errorRecordSchema.optional(),
});
export type EndpointCheck = z.infer<typeof endpointCheckSchema>;

export type LedgerSide = 'source' | 'destination';

/** Sets keys of sources apart from those of destinations. */
export const sourceKeys = 'source:';

/** Whose an entry is: which of the platforms removes it. */
export function sideOf({ kind, key }: Pick<LedgerItem, 'kind' | 'key'>): LedgerSide {
  return kind === 'source-snapshot' || key.startsWith(sourceKeys) ? 'source' : 'destination';
}
