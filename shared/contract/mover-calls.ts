import { z } from 'zod';
import { errorRecordSchema } from '../model/error-record.ts';
import { nothing } from './schemas.ts';

const server = {
  host: z.string(),
  port: z.int(),
  username: z.string(),
  /** `SHA256:…` of its pinned host key. */ fingerprint: z.string(),
};

/** A mover that was added on this computer, as the page shows it. */
export const moverViewSchema = z.object({
  name: z.string(),
  ...server,
  /** Servers on the way to it, the first one from here. */
  jumpHosts: z.array(z.object(server)),
});
export type MoverView = z.infer<typeof moverViewSchema>;

/** What a person has to say before a connection can continue. */
export const moverQuestionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('host-key'), host: z.string(), port: z.int(), fingerprint: z.string() }),
  /** `about` names the user and the host. The answer is given, and kept, under `key`. */
  z.object({ kind: z.literal('password'), about: z.string(), key: z.string() }),
  /** `about` is the path of an encrypted private key. */
  z.object({ kind: z.literal('passphrase'), about: z.string(), key: z.string() }),
]);
export type MoverQuestion = z.infer<typeof moverQuestionSchema>;

/** A host key that a person trusts: of one server, and of no other that shows it. */
export const trustedHostKeySchema = z.strictObject({
  host: z.string().min(1).max(255),
  port: z.int().min(1).max(65_535),
  fingerprint: z.string().max(100),
});
export type TrustedHostKey = Readonly<z.infer<typeof trustedHostKeySchema>>;

/** Passwords and passphrases by the keys of the questions; an empty one: go without it. They stay in memory until the workbench closes. */
const secrets = z.record(z.string().max(4096), z.string().max(1000)).default({});
/** What a mover may be called. */
export const moverNameSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/);

/** The way to the mover of the open project, or of the one that is being opened. */
export const moverLinkSchema = z.object({
  name: z.string(),
  step: z.enum(['connecting', 'uploading', 'starting', 'connected', 'lost']),
  /** While the engine is uploaded. */
  sentBytes: z.number().nonnegative().optional(),
  totalBytes: z.number().nonnegative().optional(),
  /** Why the connection was lost, or why the last attempt failed. */
  error: errorRecordSchema.optional(),
  /** When the next attempt starts, milliseconds since 1970; absent during an attempt, or when none follows. */
  retryAt: z.number().optional(),
  /** What ended on the mover while nobody was connected from here. */
  meanwhile: z.object({ completed: z.int(), failed: z.int(), cancelled: z.int() }).optional(),
});
export type MoverLink = z.infer<typeof moverLinkSchema>;

/** Movers as the workbench handles them. A call that needs an answer says the question and is repeated with it. */
export const moverCalls = {
  'mover.list': { input: nothing, output: z.array(moverViewSchema) },
  /** Pins host keys, signs in once, and adds the mover. `trusted` has what the person confirmed. */
  'mover.add': {
    input: z.strictObject({
      name: moverNameSchema,
      destination: z.string().trim().min(1).max(500),
      identityFile: z.string().trim().min(1).max(4096).optional(),
      trusted: z.array(trustedHostKeySchema).max(20).default([]),
      secrets,
    }),
    output: z.union([z.object({ question: moverQuestionSchema }), z.object({ mover: moverViewSchema })]),
  },
  'mover.remove': { input: z.strictObject({ name: moverNameSchema }), output: nothing },
  /** Opens a project there; a folder that does not exist is created where `create` says so. */
  'mover.openProject': {
    input: z.strictObject({
      mover: moverNameSchema,
      folder: z.string().trim().min(1).max(4096),
      create: z.boolean().default(false),
      secrets,
    }),
    output: z.union([
      z.object({ question: moverQuestionSchema }),
      z.object({ project: z.object({ folder: z.string(), name: z.string(), mover: z.string() }) }),
    ]),
  },
  /** Gives up adding a mover, or opening a project on one. */
  'mover.cancel': { input: nothing, output: nothing },
  /** Does not wait for the next attempt. */
  'mover.reconnect': { input: nothing, output: nothing },
  /** The person has read what happened meanwhile. */
  'mover.dismissMeanwhile': { input: nothing, output: nothing },
} as const;
