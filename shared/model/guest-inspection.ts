import { z } from 'zod';
import { errorRecordSchema } from './error-record.ts';
import { guestDossierSchema, guestPlanSchema } from './guest-preparation.ts';

/** `interrupted`: the engine ended while it ran, so that its worker may still have the volumes. */
export const inspectionStates = ['running', 'completed', 'failed', 'cancelled', 'interrupted'] as const;

export const inspectionOptionsSchema = z.strictObject({
  /** Which installation to inspect when the disks hold several. */
  root: z.string().max(500).optional(),
  /** Names of secrets with keys of encrypted volumes. */
  luksKeys: z
    .array(z.strictObject({ secret: z.string().max(200), device: z.string().max(200).optional() }))
    .max(50)
    .optional(),
});
export type InspectionOptions = z.infer<typeof inspectionOptionsSchema>;

/** What the preparation of a replica's guest would meet, found without writing to its volumes. */
export const guestFoundSchema = guestPlanSchema.extend({ dossier: guestDossierSchema, supported: z.boolean() });
export type GuestFound = z.infer<typeof guestFoundSchema>;

/** The latest inspection of a replica's guest. */
export const guestInspectionSchema = z.object({
  replicaId: z.string(),
  state: z.enum(inspectionStates),
  startedAt: z.string(),
  finishedAt: z.string().optional(),
  /** What goes on, while it runs. */
  step: z.string().optional(),
  error: errorRecordSchema.optional(),
  /** Of the latest one that completed: an execution that came later may have changed the guest. */
  found: guestFoundSchema.optional(),
  /** When `found` was found, and the number of the execution whose content it was. */
  foundAt: z.string().optional(),
  executionNumber: z.number().optional(),
});
export type GuestInspection = z.infer<typeof guestInspectionSchema>;

/** Whether a deployment would stop at what was found. */
export const wouldStop = ({ supported, findings }: GuestFound): boolean => !supported || findings.length > 0;
