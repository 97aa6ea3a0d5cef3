import { z } from 'zod';
import { rowChangeSchema } from '../engine/store/replica-changes.ts';

/** A member of a fleet: one running engine. Another start of the same engine is another member. */
export const memberSchema = z.strictObject({ id: z.string().min(1).max(64), name: z.string().max(200) });
export type Member = z.infer<typeof memberSchema>;

/** One record of a replica's journal. An epoch belongs to one member, and begins with the record that says so. */
export const journalRecordSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('epoch'),
    epoch: z.int().positive(),
    member: memberSchema,
    at: z.string(),
    /** How many records follow with what the member had recorded before; only where a journal begins, which it has once they are all there. */
    begins: z.int().min(0).optional(),
    /** Under which the member's store marks resources in clouds. */
    marks: z.array(z.string().max(200)).max(1000).optional(),
  }),
  z.strictObject({
    kind: z.literal('changes'),
    epoch: z.int().positive(),
    member: z.string(),
    changes: z.array(rowChangeSchema),
  }),
]);
export type JournalRecord = z.infer<typeof journalRecordSchema>;

/** A record with its place among all records of the project. */
export interface StoredRecord {
  readonly sequence: number;
  readonly record: JournalRecord;
}
