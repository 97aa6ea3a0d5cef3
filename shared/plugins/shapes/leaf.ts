import type { z } from 'zod';
import { field, type FieldMeta } from '../field-meta.ts';

/** A shape with what it says of itself, before it is known whether it is required: several sections share such leaves. */
export interface Leaf<S extends z.ZodType> {
  readonly schema: S;
  readonly meta: FieldMeta;
}

export function leaf<S extends z.ZodType>(schema: S, meta: FieldMeta): Leaf<S> {
  return { schema, meta };
}

export function required<S extends z.ZodType>({ schema, meta }: Leaf<S>): S {
  return field(schema, meta);
}

/** The leaf as an optional key; `change` overrides what it says of itself here. */
export function optional<S extends z.ZodType>(
  { schema, meta }: Leaf<S>,
  change: Partial<FieldMeta> = {},
): z.ZodOptional<S> {
  return field(schema.optional() as z.ZodOptional<S>, { ...meta, ...change });
}
