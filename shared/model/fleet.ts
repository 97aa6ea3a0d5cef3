import { z } from 'zod';

/** A description that was changed on this computer and by another member of the fleet: nothing is done with it before a person decides. */
export const descriptionConflictSchema = z.object({
  /** Within the project folder. */
  file: z.string(),
  /** Of the other member's change. */
  revision: z.int(),
  /** Null: the file was deleted. */
  mine: z.string().nullable(),
  theirs: z.string().nullable(),
});
export type DescriptionConflict = z.infer<typeof descriptionConflictSchema>;

export const conflictSides = ['mine', 'theirs'] as const;
export type ConflictSide = (typeof conflictSides)[number];

/** A description of this computer that the others of the fleet do not get. */
export const notSharedSchema = z.object({
  /** Within the project folder. */
  file: z.string(),
  /**
   * `name`: not every system can have a file of that name. `case`: another file has the same name but for upper and lower case, which are one
   * file on Windows and macOS. `size`: it is too large.
   */
  reason: z.enum(['name', 'case', 'size']),
});
export type NotShared = z.infer<typeof notSharedSchema>;

/** A running engine that takes part in the fleet, as it was last heard. */
export const fleetMemberSchema = z.object({
  id: z.string(),
  name: z.string(),
  isThis: z.boolean(),
  /** Executions and deployments at the same time; 0: it takes none by itself. */
  carries: z.int().nonnegative(),
  /** It ends what it has, and gets nothing new. */
  isDraining: z.boolean(),
  /** Ids of endpoints that it can use. */
  reaches: z.array(z.string()),
  /** Ids of replicas that it works on. */
  works: z.array(z.string()),
});
export type FleetMemberView = z.infer<typeof fleetMemberSchema>;

/** Who is there, what waits, and what is limited. */
export const fleetViewSchema = z.object({
  members: z.array(fleetMemberSchema),
  /** Ids of replicas whose execution or deployment waits for a member. */
  waiting: z.array(z.string()),
  /** Replicas and who works on them, by name. */
  holders: z.record(z.string(), z.string()),
});
export type FleetView = z.infer<typeof fleetViewSchema>;

/** How many executions may use something at the same time, by names such as `endpoint dc1`, `link dc1 > cloud`, `host dc1/esx-7`, `datastore dc1/ssd`. */
export const fleetLimitsSchema = z.record(z.string().min(1).max(300), z.int().min(1).max(10_000));
export type FleetLimits = z.infer<typeof fleetLimitsSchema>;
