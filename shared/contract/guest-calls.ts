import { z } from 'zod';
import { guestInspectionSchema, inspectionOptionsSchema } from '../model/guest-inspection.ts';
import { name, nothing, reference } from './schemas.ts';

/** Calls about the guests of replicas, before they are deployed. */
export const guestCalls = {
  /**
   * Inspects the guest on a replica's volumes by a worker that can only read them: what a deployment would stop at, what is doubtful, and
   * what would be changed. Answers immediately; `guest.inspection` events say when that changes.
   */
  'guest.inspect': {
    input: z.strictObject({ replica: reference, options: inspectionOptionsSchema.default({}) }),
    output: guestInspectionSchema,
  },
  /** Ends an inspection and deletes its worker; after an interruption too. */
  'guest.cancelInspection': { input: z.strictObject({ replica: reference }), output: nothing },
  /** The latest one of a replica; null if there was none. */
  'guest.inspection': { input: z.strictObject({ replica: reference }), output: guestInspectionSchema.nullable() },
  /** What was found in the guests of a wave's replicas, or of all, in numbers. */
  'guest.inspections': {
    input: z.strictObject({ wave: name.optional() }),
    output: z.array(
      guestInspectionSchema
        .omit({ found: true })
        .extend({ findings: z.int().nonnegative(), doubts: z.int().nonnegative(), wouldStop: z.boolean() }),
    ),
  },
} as const;
