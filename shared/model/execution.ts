import { z } from 'zod';
import { errorRecordSchema } from './error-record.ts';
import { executionProgressSchema } from './progress.ts';
import { graphTaskSchema } from './task.ts';

/**
 * `interrupted`: the engine ended in the middle; it goes on where it was when it is resumed. `cancelling`: clean-up runs.
 */
export const executionStates = [
  'pending',
  'running',
  'cancelling',
  'interrupted',
  'completed',
  'failed',
  'cancelled',
] as const;
export type ExecutionState = (typeof executionStates)[number];

/** How a fleet distributes what it is asked for. */
export const placementSchema = z.strictObject({
  /** Before everything that is not urgent. */
  urgent: z.boolean().optional(),
  /** What it takes a part of, by the names that limits have; as they were when it was asked for. */
  uses: z.array(z.string().max(600)).max(50).optional(),
});
export type Placement = z.infer<typeof placementSchema>;

export const executionOptionsSchema = z.object({
  /** Ask the source to power the VM off in good order before the snapshot. */
  shutdownVm: z.boolean().optional(),
  /** How many disks are copied at once. */
  parallelDisks: z.int().min(1).max(16).optional(),
  /** What is read back and compared: nothing, what this run wrote, or whole disks. Default `written`. */
  verify: z.enum(['none', 'written', 'all']).optional(),
  /** Bytes per second, 0 = pause; overrides the profile. */
  bandwidthLimit: z.number().nonnegative().optional(),
  /** Limits by time of day, e.g. `mon-fri 08:00-18:00=20M; *=unlimited`. */
  bandwidthProfile: z.string().max(2000).optional(),
  placement: placementSchema.optional(),
});
export type ExecutionOptions = z.infer<typeof executionOptionsSchema>;

/** One run of a replica. */
export const executionSchema = z.object({
  id: z.string(),
  replicaId: z.string(),
  /** 1 for the replica's first run. */
  number: z.number(),
  state: z.enum(executionStates),
  options: executionOptionsSchema,
  createdAt: z.string(),
  startedAt: z.string().optional(),
  finishedAt: z.string().optional(),
  error: errorRecordSchema.optional(),
  /** Temporary resources that could not be removed; the ledger has their names. */
  leftBehind: z.number(),
  progress: executionProgressSchema.optional(),
  /** While it waits for its turn: 1 is the next one. */
  queuePosition: z.int().positive().optional(),
  /** The other member of the fleet that carries it out. */
  member: z.string().optional(),
});
export type Execution = z.infer<typeof executionSchema>;

export const executionDetailSchema = executionSchema.extend({ tasks: z.array(graphTaskSchema) });
export type ExecutionDetail = z.infer<typeof executionDetailSchema>;

export function isTerminalExecution(state: ExecutionState): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}
