import { z } from 'zod';
import { waveActions } from '../model/wave-action.ts';
import { mostAtOnce, wavePlanSchema } from '../model/wave-plan.ts';
import { waveDetailSchema, waveRunOptionsSchema, waveRunSchema, waveSummarySchema } from '../model/wave.ts';
import { waveEstimateSchema } from '../model/wave-estimate.ts';
import { name, nothing, reference } from './schemas.ts';

const wave = z.strictObject({ wave: name });
const planned = z.object({ wave: z.string(), at: z.string(), until: z.string() });
const many = z.array(reference).max(5000);

/** Calls about waves: groups of replicas that are planned, synchronised, rehearsed and cut over together. */
export const waveCalls = {
  /** Counts of each wave; what `wave.show` finds out by rules is not in it. */
  'wave.list': { input: nothing, output: z.array(waveSummarySchema) },
  'wave.show': { input: wave, output: waveDetailSchema },
  /** How long an action will take, and what it needs, from what was measured and from the last catalogs. Nothing is contacted. */
  'wave.estimate': {
    input: z.strictObject({
      wave: name,
      action: z.enum(waveActions).default('cut-over'),
      atOnce: z.int().min(1).max(mostAtOnce).optional(),
      /** Of the link, for all members together. */
      bytesPerSecond: z.number().positive().optional(),
    }),
    output: waveEstimateSchema,
  },
  /** What changes on VMs that have replicas, by their executions; VMs of which nothing was measured are not in it. */
  'wave.measuredChanges': {
    input: z.strictObject({ source: reference.optional() }),
    output: z.array(z.object({ vm: z.string(), name: z.string(), bytesPerSecond: z.number() })),
  },
  'wave.create': {
    input: z.strictObject({ wave: name, replicas: many.default([]), plan: wavePlanSchema.optional() }),
    output: waveDetailSchema,
  },
  /** Moves replicas to a wave, or with null out of theirs; all of them or none. Answers with where they were, which reverts it. */
  'wave.assign': {
    input: z.strictObject({ wave: name.nullable(), replicas: many.min(1) }),
    output: z.object({ moved: z.array(z.object({ replica: z.string(), wave: z.string().nullable() })) }),
  },
  'wave.rename': { input: z.strictObject({ wave: name, name }), output: waveDetailSchema },
  /** Replaces the plan. Refused while the wave is in progress. */
  'wave.plan': { input: z.strictObject({ wave: name, plan: wavePlanSchema }), output: waveDetailSchema },
  /** Starts an action on all members, in their order. Answers immediately; follow it by `wave.show` and events. */
  'wave.start': {
    input: z.strictObject({
      wave: name,
      action: z.enum(waveActions),
      atOnce: z.int().min(1).max(mostAtOnce).optional(),
      options: waveRunOptionsSchema.default({}),
    }),
    output: waveRunSchema,
  },
  /** What runs is finished; nothing more starts. */
  'wave.pause': { input: wave, output: waveRunSchema },
  /** After a pause, or after the engine ended. */
  'wave.continue': { input: wave, output: waveRunSchema },
  /** A person lets the next group start. */
  'wave.go': { input: wave, output: waveRunSchema },
  'wave.cancel': {
    input: z.strictObject({ wave: name, letFinish: z.boolean().default(false) }),
    output: waveRunSchema,
  },
  /** Starts the members again that did not complete. */
  'wave.retry': { input: wave, output: waveRunSchema },
  /** What the plans of all waves have between two moments, and starts that were missed and wait for a decision: start the wave, or skip it. */
  'wave.calendar': {
    input: z.strictObject({ from: z.iso.datetime(), until: z.iso.datetime() }),
    output: z.object({
      starts: z.array(
        planned.extend({
          kind: z.enum(['window', 'synchronisation']),
          isBlackedOut: z.boolean(),
          action: z.enum(waveActions).optional(),
        }),
      ),
      missed: z.array(planned.extend({ action: z.enum(waveActions) })),
    }),
  },
  'wave.skipMissed': { input: wave, output: nothing },
  /** Takes up all actions that an engine that ended left open. */
  'wave.resume': { input: nothing, output: z.array(waveRunSchema) },
} as const;
