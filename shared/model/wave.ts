import { z } from 'zod';
import { deploymentOptionsSchema } from './deployment.ts';
import { errorRecordSchema } from './error-record.ts';
import { executionOptionsSchema } from './execution.ts';
import { waveActions } from './wave-action.ts';
import { wavePlanSchema } from './wave-plan.ts';

/** `interrupted`: the engine ended; it resumes where it was. `cancelling`: nothing starts any more, what runs is being cancelled. */
export const waveRunStates = [
  'running',
  'paused',
  'cancelling',
  'interrupted',
  'completed',
  'failed',
  'cancelled',
] as const;
export type WaveRunState = (typeof waveRunStates)[number];

/** `starting` is durable before anything starts, `blocked` is a member that something failed before. */
export const memberStates = ['waiting', 'starting', 'running', 'completed', 'failed', 'blocked', 'cancelled'] as const;
export type MemberState = (typeof memberStates)[number];

/** What executions or deployments of a wave are started with. */
export const waveRunOptionsSchema = z.strictObject({
  execution: executionOptionsSchema.optional(),
  deployment: deploymentOptionsSchema.optional(),
});
export type WaveRunOptions = Readonly<z.infer<typeof waveRunOptionsSchema>>;

const count = z.int().nonnegative();

/** One action on all members of a wave, from its start to the end of the last member. */
export const waveRunSchema = z.object({
  id: z.string(),
  wave: z.string(),
  action: z.enum(waveActions),
  state: z.enum(waveRunStates),
  atOnce: z.int(),
  createdAt: z.string(),
  finishedAt: z.string().optional(),
  counts: z.object({
    waiting: count,
    starting: count,
    running: count,
    completed: count,
    failed: count,
    blocked: count,
    cancelled: count,
  }),
  /** The group that a person has to let go, and why it does not start by itself. */
  waitsFor: z.object({ group: z.int(), name: z.string(), reason: z.enum(['go', 'failures']) }).optional(),
});
export type WaveRun = z.infer<typeof waveRunSchema>;

/** Where a project's replicas of a wave are, as far as the database alone tells. */
export const waveSummarySchema = z.object({
  name: z.string(),
  plan: wavePlanSchema.optional(),
  members: count,
  synchronised: count,
  rehearsed: count,
  moved: count,
  /** Members with an execution or deployment under way. */
  active: count,
  /** Members whose latest execution or deployment failed. */
  failed: count,
  /** Of all disks that are known. */
  bytes: z.number(),
  /** The newest. */
  run: waveRunSchema.optional(),
});
export type WaveSummary = z.infer<typeof waveSummarySchema>;

/** Bytes, bytes per second, seconds. */
export const waveProgressSchema = z.object({
  bytesTotal: z.number(),
  bytesDone: z.number(),
  /** Of all executions under way, as measured. */
  rateBytesPerSecond: z.number(),
  /** From what is left at this rate; undefined while it can't be told. */
  secondsLeft: z.number().optional(),
  /** Members with disks of unknown size, which the numbers leave out. */
  unknown: count,
});
export type WaveProgress = z.infer<typeof waveProgressSchema>;

export const waveMemberSchema = z.object({
  replicaId: z.string(),
  name: z.string(),
  /** Its group's place; those that no group names come last. */
  group: z.int(),
  /** Ids of members that have to be completed before. */
  after: z.array(z.string()),
  /** In the newest run. */
  state: z.enum(memberStates).optional(),
  /** Its execution or deployment there. */
  startedId: z.string().optional(),
  attempts: count,
  error: errorRecordSchema.optional(),
  bytes: z.number(),
  synchronisedAt: z.string().optional(),
  rehearsedAt: z.string().optional(),
  movedAt: z.string().optional(),
  progress: z
    .object({
      bytesTotal: z.number(),
      bytesDone: z.number(),
      rateBytesPerSecond: z.number(),
      secondsLeft: z.number().optional(),
    })
    .optional(),
  /** Errors that keep it from running. */
  errors: count,
});
export type WaveMember = z.infer<typeof waveMemberSchema>;

/** Why members are not ready: one cause with all that it holds back. */
export const waveCauseSchema = z.object({
  kind: z.enum(['finding', 'never-synchronised', 'not-rehearsed', 'failed', 'plan', 'guest', 'quota']),
  severity: z.enum(['error', 'warning', 'info']),
  /** Of a finding: the rule; of a failure, or what was found in a guest: the error's code. */
  code: z.string().optional(),
  /** Of a finding: where. */
  path: z.string().optional(),
  message: z.string(),
  /** Of the plan: the members that it names. */
  names: z.array(z.string()).optional(),
  /** Of a quota: what all members need, and what was free when the destination's last catalog was captured. */
  quota: z
    .object({
      endpoint: z.string(),
      quota: z.string(),
      needed: z.number(),
      free: z.number(),
      at: z.string().optional(),
    })
    .optional(),
  /** Ids. */
  replicas: z.array(z.string()),
});
export type WaveCause = z.infer<typeof waveCauseSchema>;

export const waveDetailSchema = waveSummarySchema.extend({
  groups: z.array(z.object({ name: z.string(), needsGo: z.boolean(), members: count })),
  memberList: z.array(waveMemberSchema),
  causes: z.array(waveCauseSchema),
  /** Destinations of members whose quotas readiness was held against, and when their catalog was captured. */
  quotaCatalogs: z.array(z.object({ endpoint: z.string(), name: z.string(), at: z.string().optional() })),
  /** Members that nothing holds back. */
  ready: count,
  progress: waveProgressSchema,
  /** Newest first. */
  runs: z.array(waveRunSchema),
});
export type WaveDetail = z.infer<typeof waveDetailSchema>;

export function isEnded({ state }: { readonly state: WaveRunState }): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}
