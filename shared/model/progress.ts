import { z } from 'zod';

/** What is being done to a disk right now. `done` is only said when the disk is synchronised (and verified, if asked). */
export const transferPhases = ['waiting', 'planning', 'copying', 'flushing', 'verifying', 'done'] as const;
export type TransferPhase = (typeof transferPhases)[number];

/** Numbers of one disk, or of several added up. Bytes, bytes per second, seconds. */
export const transferProgressSchema = z.object({
  phase: z.enum(transferPhases),
  /** Bytes that this phase has to deal with. */
  bytesTotal: z.number().nonnegative(),
  bytesDone: z.number().nonnegative(),
  /** What crossed the link, after compression. */
  bytesSent: z.number().nonnegative(),
  /** Of `bytesDone`: read and dealt with, whether it had to be sent or not. */
  rateBytesPerSecond: z.number().nonnegative(),
  /** Of `bytesSent`, which limits hold down. Undefined in what was stored before it was measured. */
  sentPerSecond: z.number().nonnegative().optional(),
  /** Undefined while it can't be told. */
  secondsLeft: z.number().nonnegative().optional(),
  /** How long nothing has moved. */
  stalledForSeconds: z.number().nonnegative(),
});
export type TransferProgress = z.infer<typeof transferProgressSchema>;

export const executionProgressSchema = z.object({
  executionId: z.string(),
  total: transferProgressSchema,
  disks: z.array(transferProgressSchema.extend({ diskId: z.string() })),
});
/** How fast a run was from a moment on: milliseconds since 1970, bytes per second. */
export const rateSampleSchema = z.object({
  at: z.number(),
  /** What was dealt with. */
  bytesPerSecond: z.number().nonnegative(),
  /** What crossed the link, after compression. Undefined in samples from before it was measured; so is the limit. */
  sentPerSecond: z.number().nonnegative().optional(),
  /** What might be sent then: null = unlimited, 0 = paused. */
  limit: z.number().nonnegative().nullable().optional(),
});
export type RateSample = z.infer<typeof rateSampleSchema>;

export type ExecutionProgress = z.infer<typeof executionProgressSchema>;
