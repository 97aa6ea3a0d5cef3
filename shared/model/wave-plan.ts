import { z } from 'zod';
import { parseProfile } from './bandwidth-profile.ts';
import { waveActions } from './wave-action.ts';

/** What happens to a planned start that the computer slept through. */
export const missedPolicies = ['ask', 'skip', 'catch-up'] as const;
export type MissedPolicy = (typeof missedPolicies)[number];

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof weekdays)[number];

const replicaName = z.string().trim().min(1).max(200);
const wallTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time like 22:00');
const zone = z.string().max(100).refine(isZone, 'must be an IANA time zone like Europe/Berlin');

export const waveWindowSchema = z.strictObject({
  date: z.iso.date(),
  time: wallTime,
  /** IANA. */
  zone,
  hours: z.number().min(0.25).max(168),
});
export type WaveWindow = Readonly<z.infer<typeof waveWindowSchema>>;

/** Synchronisation that repeats: at a time of some days, every day where none are named. */
export const waveScheduleSchema = z.strictObject({
  time: wallTime,
  zone,
  days: z.array(z.enum(weekdays)).min(1).max(7).optional(),
});
export type WaveSchedule = Readonly<z.infer<typeof waveScheduleSchema>>;

/** A time in which the wave starts nothing on its own. Both moments belong to one zone. */
export const blackOutSchema = z.strictObject({
  fromDate: z.iso.date(),
  fromTime: wallTime,
  toDate: z.iso.date(),
  toTime: wallTime,
  zone,
});
export type BlackOut = Readonly<z.infer<typeof blackOutSchema>>;

/** Members that are done before those of later groups. */
export const waveGroupSchema = z.strictObject({
  name: z.string().trim().min(1).max(100),
  /** A person has to say go before the first of them starts. */
  needsGo: z.boolean().optional(),
  /** Names or ids of replicas. */
  members: z.array(replicaName).max(5000),
});
export type WaveGroup = Readonly<z.infer<typeof waveGroupSchema>>;

/** Members that run at the same time. */
export const mostAtOnce = 32;

/** How a wave is done, as people share it in the wave's file. Members that no group names come after all groups. */
export const wavePlanSchema = z.strictObject({
  description: z.string().max(1000).optional(),
  owner: z.string().max(200).optional(),
  window: waveWindowSchema.optional(),
  /** What starts by itself when the window begins; nothing where it is left out. */
  startsWith: z.enum(waveActions).optional(),
  /** Destination network for all NICs of the wave's rehearsals. Without it they start in the networks that the VMs are meant for. */
  rehearsalNetwork: z.string().trim().min(1).max(500).optional(),
  ifMissed: z.enum(missedPolicies).optional(),
  synchronisation: waveScheduleSchema.optional(),
  blackOuts: z.array(blackOutSchema).max(100).optional(),
  /** Bandwidth of each member's executions by time of day, e.g. `mon-fri 08:00-18:00=20M; *=unlimited`. */
  bandwidth: z
    .string()
    .trim()
    .max(2000)
    .refine(isProfile, 'must be a profile like "mon-fri 08:00-18:00=20M; *=unlimited"')
    .optional(),
  /** How many members run at the same time. */
  atOnce: z.int().min(1).max(mostAtOnce).optional(),
  groups: z.array(waveGroupSchema).max(100).optional(),
  /** Replicas that have to be completed before one starts, by its name or id. */
  after: z.record(replicaName, z.array(replicaName).max(100)).optional(),
});
export type WavePlan = Readonly<z.infer<typeof wavePlanSchema>>;

/** Whether it is a bandwidth profile. */
export function isProfile(text: string): boolean {
  try {
    parseProfile(text);
    return true;
  } catch {
    return false;
  }
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
