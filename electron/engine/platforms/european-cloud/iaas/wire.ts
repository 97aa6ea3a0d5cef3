import { z } from 'zod';

/** Lists come as `{items}`. */
export function listOf<S extends z.ZodType>(item: S): z.ZodObject<{ items: z.ZodArray<S> }> {
  return z.object({ items: z.array(item) });
}

export const labelsSchema = z.record(z.string(), z.unknown()).nullish().transform((labels) => labels ?? {});
