import { z } from 'zod';
import { nothing } from './schemas.ts';

const content = z.string().min(1).max(100_000);

/** How this computer signs in to the servers of a fleet. Contents, not names of files: a page can't have any file of this computer sent. */
export const fleetSignInSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('none') }),
  z.strictObject({
    kind: z.literal('password'),
    user: z.string().trim().min(1).max(200),
    password: z.string().min(1).max(1000),
  }),
  /** The content of a credentials file of NATS, or of a seed as `causeway fleet configure` makes it. */
  z.strictObject({ kind: z.literal('key'), content }),
]);
export type FleetSignIn = z.infer<typeof fleetSignInSchema>;

/** What this computer carries out, and what it reaches. */
const share = {
  /** Null: as many as the project runs at the same time; 0: none. */
  carries: z.int().min(0).max(100).nullable(),
  /** Names of endpoints; null: all that are accepted here. */
  reaches: z.array(z.string().min(1).max(200)).max(1000).nullable(),
};

/** How this computer takes part, without secrets. */
export const fleetMembershipSchema = z.object({
  servers: z.array(z.string()),
  project: z.string(),
  signIn: z.enum(['none', 'password', 'key']),
  user: z.string().optional(),
  hasCa: z.boolean(),
  copies: z.int(),
  claimSeconds: z.number(),
  ...share,
});
export type FleetMembership = z.infer<typeof fleetMembershipSchema>;

/** The membership of the open project, which is of this computer and no part of the project. The engine starts again with each change. */
export const fleetMembershipCalls = {
  /** `canChange`: not where the project lies on a mover, whose membership is configured there. */
  'fleet.membership': {
    input: nothing,
    output: z.object({ membership: fleetMembershipSchema.optional(), canChange: z.boolean() }),
  },
  /** Contacts the servers once, and rejects where they refuse. */
  'fleet.join': {
    input: z.strictObject({
      servers: z.array(z.string().trim().min(1).max(300)).min(1).max(20),
      project: z.string().regex(/^[a-z0-9][a-z0-9-]{0,40}$/),
      signIn: fleetSignInSchema,
      /** CA certificates of the servers, PEM. */
      ca: content.optional(),
      copies: z.union([z.literal(1), z.literal(3), z.literal(5)]).default(1),
      claimSeconds: z.number().min(1).max(600).default(30),
      ...share,
    }),
    output: nothing,
  },
  'fleet.changeShare': { input: z.strictObject(share), output: nothing },
  'fleet.leave': { input: nothing, output: nothing },
} as const;
