import { z } from 'zod';
import { lifeStates } from '../model/machine-life.ts';
import { waveActions } from '../model/wave-action.ts';
import { nothing } from './schemas.ts';

const count = z.int().nonnegative();
const named = z.object({ replicaId: z.string(), name: z.string() });

/** How far a replica may be behind its source, from short to long. */
export const lagLimits = ['hour', 'day', 'week', 'longer'] as const;

/** Where a project stands, in one answer. */
export const dashboardSchema = z.object({
  /** How many VMs stand where on their way; those that there are, in the order of the way. Empty where there are too many to tell quickly. */
  lives: z.array(z.object({ state: z.enum(lifeStates), count })),
  /** What was reached on which day of UTC, oldest first: first copies, cut-overs that were not rolled back, bytes that were sent. */
  days: z.array(z.object({ day: z.string(), copied: count, moved: count, bytes: z.number() })),
  replicas: count,
  /** Of the replicas that were copied and are not moved: how far they lag behind their sources. */
  lags: z.array(z.object({ within: z.enum(lagLimits), count })),
  running: z.object({
    count,
    /** The first of them. */
    runs: z.array(
      named.extend({
        kind: z.enum(['execution', 'deployment']),
        id: z.string(),
        number: z.number(),
        isInterrupted: z.boolean(),
        bytesTotal: z.number().optional(),
        bytesDone: z.number().optional(),
        rateBytesPerSecond: z.number().optional(),
        secondsLeft: z.number().optional(),
      }),
    ),
  }),
  /** Replicas whose newest run failed and was not rolled back, by the code of the error; the most frequent first. */
  failures: z.array(
    z.object({
      code: z.string(),
      replicas: z.array(named.extend({ kind: z.enum(['execution', 'deployment']), id: z.string() })),
    }),
  ),
  /** Cut-over windows that are over while VMs are not moved, and starts that were missed and wait for a decision. */
  late: z.array(z.object({ wave: z.string(), at: z.string(), why: z.enum(['window-over', 'missed']), open: count })),
  /** The next windows and starts, within some weeks. */
  next: z.array(
    z.object({
      wave: z.string(),
      at: z.string(),
      until: z.string(),
      kind: z.enum(['window', 'synchronisation']),
      action: z.enum(waveActions).optional(),
      isBlackedOut: z.boolean(),
    }),
  ),
});
export type Dashboard = z.infer<typeof dashboardSchema>;

export const dashboardCalls = { 'dashboard.show': { input: nothing, output: dashboardSchema } } as const;
