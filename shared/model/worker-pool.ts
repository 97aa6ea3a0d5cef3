import { z } from 'zod';

/** Workers of a pool are in the ledger under an id of this kind instead of an execution's. */
export const poolIdPrefix = 'pool';

/** Whether a resource of the ledger is of a worker in a pool. */
export function isPooled(executionId: string | undefined): boolean {
  return executionId?.startsWith(`${poolIdPrefix}-`) === true;
}

/** A disk copy worker that executions use in turn. */
export const pooledWorkerSchema = z.object({
  id: z.string(),
  endpointId: z.string(),
  /** Undefined: nobody uses it. */
  executionId: z.string().optional(),
  /** Executions that have used it, the present one included. */
  uses: z.int().positive(),
  startedAt: z.string(),
  idleSince: z.string().optional(),
});
export type PooledWorker = z.infer<typeof pooledWorkerSchema>;

export const workerPoolSettingsSchema = z.object({
  /** Workers that are kept for each destination; 0: each execution starts its own. */
  keep: z.int().min(0).max(20),
  /** Deleted when nobody has used them for so long. */
  minutes: z.int().min(1).max(1440),
});
export type WorkerPoolSettings = z.infer<typeof workerPoolSettingsSchema>;

export const usualWorkerPool: WorkerPoolSettings = { keep: 0, minutes: 15 };

export const workerPoolSchema = workerPoolSettingsSchema.extend({ workers: z.array(pooledWorkerSchema) });
export type WorkerPoolView = z.infer<typeof workerPoolSchema>;
