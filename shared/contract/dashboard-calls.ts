import { z } from 'zod';
import { lifeStates } from '../model/machine-life.ts';
import { waveActions } from '../model/wave-plan.ts';
import { nothing } from './schemas.ts';

const count = z.int().nonnegative();
const named = z.object({ replicaId: z.string(), name: z.string() });

/** Where a project stands, in one answer. */
export const dashboardSchema = z.object({
  /** How many VMs stand where on their way; those that there are, in the order of the way. Empty where there are too many to tell quickly. */
  lives: z.array(z.object({ state: z.enum(lifeStates), count })),
  running: z.object({
    count,
    /** The first of them. */
    runs: z.array(named.extend({
      kind: z.enum(['execution', 'deployment']), id: z.string(), number: z.number(), isInterrupted: z.boolean(), bytesTotal: z.number().optional(), bytesDone: z.number().optional(),
      rateBytesPerSecond: z.number().optional(), secondsLeft: z.number().optional(),
    })),
  }),
  /** Replicas whose newest run failed and was not rolled back, by the code of the error; the most frequent first. */
  failures: z.array(z.object({ code: z.string(), replicas: z.array(named.extend({ kind: z.enum(['execution', 'deployment']), id: z.string() })) })),
  /** Cut-over windows that are over while VMs are not moved, and starts that were missed and wait for a decision. */
  late: z.array(z.object({ wave: z.string(), at: z.string(), why: z.enum(['window-over', 'missed']), open: count })),
  /** The next windows and starts, within some weeks. */
  next: z.array(z.object({ wave: z.string(), at: z.string(), until: z.string(), kind: z.enum(['window', 'synchronisation']), action: z.enum(waveActions).optional(), isBlackedOut: z.boolean() })),
});
export type Dashboard = z.infer<typeof dashboardSchema>;

export const dashboardCalls = { 'dashboard.show': { input: nothing, output: dashboardSchema } } as const;
