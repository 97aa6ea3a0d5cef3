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
