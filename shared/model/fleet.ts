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
