import { z } from 'zod';
import { jsonObjectSchema } from './endpoint.ts';

/** What happened, for people and for programs that follow a run. Append-only; ids only grow. No secrets. */
export const eventSchema = z.object({
  id: z.number(),
  at: z.string(),
  type: z.enum([
    'execution.created',
    'execution.state',
    'execution.left-behind',
    'task.state',
    'task.retry',
    'note',
    'disk.done',
    'deployment.created',
    'deployment.state',
    'deployment.left-behind',
    'replica.deleted',
    'guest.step',
    'guest.log',
    'guest.console',
    'wave.state',
    'wave.member',
  ]),
  replicaId: z.string().optional(),
  executionId: z.string().optional(),
  deploymentId: z.string().optional(),
  taskId: z.string().optional(),
  message: z.string(),
  details: jsonObjectSchema,
});
export type Event = z.infer<typeof eventSchema>;
export type EventType = Event['type'];
