import { z } from 'zod';
import { errorRecordSchema } from './error-record.ts';

export const taskStates = ['pending', 'running', 'completed', 'failed', 'cancelled', 'skipped'] as const;
export type TaskState = (typeof taskStates)[number];

/** A node of an execution's graph as it is shown. Times are ISO 8601. */
export const taskSchema = z.object({
  id: z.string(),
  title: z.string(),
  cleanUp: z.boolean(),
  state: z.enum(taskStates),
  /** How often it was started. */
  attempts: z.number(),
  startedAt: z.string().optional(),
  finishedAt: z.string().optional(),
  error: errorRecordSchema.optional(),
});
export type Task = z.infer<typeof taskSchema>;

/** A task with its place in the graph: the ids of those that have to be over before it starts. */
export const graphTaskSchema = taskSchema.extend({ after: z.array(z.string()) });
export type GraphTask = z.infer<typeof graphTaskSchema>;

export function isTerminalTask(state: TaskState): boolean {
  return state !== 'pending' && state !== 'running';
}
