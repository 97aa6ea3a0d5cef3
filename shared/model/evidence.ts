import { z } from 'zod';
import { jsonObjectSchema } from './endpoint.ts';

/** What an entry of the evidence journal is about. */
export const evidenceKinds = [
  'journal-started',
  'execution',
  'deployment',
  'deployment-deleted',
  'approved',
  'approval-withdrawn',
  'rehearsal-started',
  'rehearsal-ended',
  'cut-over-started',
  'roll-back-started',
  'source-started',
  'rolled-back',
  'finalise-started',
  'finalise-stopped',
  'finalised',
  'report',
  'step-ticked',
  'step-unticked',
] as const;
export type EvidenceKind = (typeof evidenceKinds)[number];

const digest = z.string().regex(/^[0-9a-f]{64}$/);

/** One line of the journal. The line is the canonical JSON of it; `prev` is the SHA-256 of the line before, without its line break. */
export const evidenceEntrySchema = z.strictObject({
  v: z.literal(1),
  /** 1 for the first. */
  n: z.int().min(1),
  at: z.iso.datetime(),
  kind: z.enum(evidenceKinds),
  /** Who did it, or on which computer it happened. */
  by: z.string().max(300),
  replica: z.strictObject({ id: z.string(), name: z.string() }).optional(),
  data: jsonObjectSchema,
  prev: digest,
});
export type EvidenceEntry = z.infer<typeof evidenceEntrySchema>;

/** Kept apart from the journal: how many lines it has, and the SHA-256 of the last one. `pending` is that of a line that is being written. */
export const evidenceHeadSchema = z.strictObject({
  v: z.literal(1),
  count: z.int().min(0),
  head: digest,
  pending: digest.optional(),
});
export type EvidenceHead = z.infer<typeof evidenceHeadSchema>;

/** What `prev` is in the first line, and `head` of an empty journal. */
export const noDigest = '0'.repeat(64);

export const evidenceStatusSchema = z.object({
  count: z.number(),
  head: z.string(),
  problems: z.array(z.string()),
  /** The last write was interrupted: every entry that was confirmed is there. */
  unfinished: z.boolean(),
});
export type EvidenceStatus = z.infer<typeof evidenceStatusSchema>;
