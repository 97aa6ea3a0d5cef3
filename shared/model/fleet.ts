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
  /** How long ago it was heard of, seconds; 0 for this one. */
  heardSecondsAgo: z.number().nonnegative(),
});
export type FleetMemberView = z.infer<typeof fleetMemberSchema>;

/** What keeps an execution that waits from being started. */
export const fleetObstacleSchema = z.discriminatedUnion('kind', [
  /** Nothing: a member takes it within seconds. */
  z.object({ kind: z.literal('starting') }),
  /** No member carries anything out. */
  z.object({ kind: z.literal('nobody') }),
  /** No member reaches both endpoints; ids of those that nobody reaches, or of both where each is reached by somebody. */
  z.object({ kind: z.literal('reach'), endpoints: z.array(z.string()) }),
  /** Whoever reaches them takes nothing new. */
  z.object({ kind: z.literal('draining') }),
  /** Whoever reaches them could not continue it. */
  z.object({ kind: z.literal('refused') }),
  z.object({ kind: z.literal('limit'), limits: z.array(z.string()) }),
  /** Whoever reaches them has as many as it carries. */
  z.object({ kind: z.literal('room') }),
]);
export type FleetObstacle = z.infer<typeof fleetObstacleSchema>;

export const fleetQueueEntrySchema = z.object({
  replicaId: z.string(),
  /** Empty: in no wave. */
  wave: z.string(),
  isUrgent: z.boolean(),
  since: z.string(),
  waitsFor: fleetObstacleSchema,
});
export type FleetQueueEntry = z.infer<typeof fleetQueueEntrySchema>;

/** Who is there, what waits, and how much of the limits is used. */
export const fleetViewSchema = z.object({
  /** `none`: the project is this computer's alone. `unreached`: no server of the fleet was reached since the project was opened. */
  state: z.enum(['none', 'unreached', 'member']),
  /** Whether this user's role allows more than reading. */
  mayChange: z.boolean(),
  members: z.array(fleetMemberSchema),
  /** Ids of replicas whose execution or deployment waits for a member, in the order in which they start. */
  waiting: z.array(z.string()),
  /** The first of them, with what they wait for. */
  queue: z.array(fleetQueueEntrySchema),
  /** Replicas and who works on them, by name. */
  holders: z.record(z.string(), z.string()),
  /** Bytes per second of what runs, by replica. */
  rates: z.record(z.string(), z.number()),
  /** How many executions use what is limited, by the names of limits. */
  inUse: z.record(z.string(), z.int()),
});
export type FleetView = z.infer<typeof fleetViewSchema>;

/** Of a project that is this computer's alone. */
export const noFleetView: FleetView = {
  state: 'none',
  mayChange: true,
  members: [],
  waiting: [],
  queue: [],
  holders: {},
  rates: {},
  inUse: {},
};

/** What the journal of a replica says of its history. */
export const fleetHistorySchema = z.object({
  replicaId: z.string(),
  records: z.int(),
  /** How often a member took it over. */
  epochs: z.int(),
  /** What must not be: two writers in one epoch, something created twice. */
  problems: z.array(z.string()),
  /** Names of temporary resources that still exist. */
  left: z.array(z.string()),
});
export type FleetHistory = z.infer<typeof fleetHistorySchema>;

/** What a limit is of, as its name begins. */
export const limitKinds = ['endpoint', 'link', 'host', 'datastore'] as const;
export type LimitKind = (typeof limitKinds)[number];

/** How many executions may use something at the same time, by names such as `endpoint dc1`, `link dc1 > cloud`, `host dc1/esx-7`, `datastore dc1/ssd`. */
export const fleetLimitsSchema = z.record(z.string().min(1).max(300), z.int().min(1).max(10_000));
export type FleetLimits = z.infer<typeof fleetLimitsSchema>;
