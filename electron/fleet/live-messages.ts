import { z } from 'zod';
import { executionProgressSchema } from '../../shared/model/progress.ts';
import type { CallName } from '../../shared/contract/contract.ts';
import type { Envelope } from '../../shared/contract/envelope.ts';
import { memberSchema } from './journal-record.ts';

const id = z.string().min(1).max(100);
const ids = z.array(id).max(20_000);

/** What members tell each other while they are connected. Nothing of it is kept, and nothing that has to be true depends on it. */
export const liveMessageSchema = z.discriminatedUnion('kind', [
  /** A member is there: said several times while a claim lasts. */
  z.strictObject({
    kind: z.literal('here'),
    member: memberSchema,
    /** Executions at the same time. */
    carries: z.int().min(0).max(1000),
    isDraining: z.boolean(),
    reaches: ids,
    works: ids,
    /** Replicas that it could not continue: others may. */
    refuses: ids,
  }),
  /** Whoever has just come asks who is there. */
  z.strictObject({ kind: z.literal('who') }),
  z.strictObject({ kind: z.literal('gone'), member: id }),
  z.strictObject({ kind: z.literal('progress'), replica: id, progress: executionProgressSchema }),
  /** There is something new in the journal of a replica. */
  z.strictObject({ kind: z.literal('recorded'), replica: id }),
  z.strictObject({ kind: z.literal('drain'), member: id, isDraining: z.boolean() }),
]);
export type LiveMessage = z.infer<typeof liveMessageSchema>;
export type Here = Extract<LiveMessage, { readonly kind: 'here' }>;

/** A call of one member's user for the member that works on the replica. */
export interface AskedCall {
  readonly replica: string;
  readonly call: CallName;
  readonly input: object;
}

export interface FleetLive {
  /** Best effort: whoever does not hear it asks the journal and the claims as before. */
  tell(message: LiveMessage): void;
  /** Has the member that works on a replica carry out a call; undefined where nobody answers. */
  ask(asked: AskedCall, signal: AbortSignal): Promise<Envelope<unknown> | undefined>;
  /** False once the servers have refused what was told: this member's user may only listen. */
  mayTell(): boolean;
}

export interface LiveHandlers {
  hear(message: LiveMessage): void;
  /** Undefined: this member does not work on the replica. */
  asked(call: AskedCall): Promise<Envelope<unknown>> | undefined;
}
