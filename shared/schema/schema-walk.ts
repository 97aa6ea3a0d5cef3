import { z } from 'zod';
import type { PathSegment } from './json-pointer.ts';

type Schema = z.core.$ZodType;

/** The schema without the wrappers that say how it is used (optional, default, read-only). */
export function unwrapped(schema: Schema): Schema {
  let current = schema;
  for (;;) {
    if (
      current instanceof z.ZodOptional ||
      current instanceof z.ZodDefault ||
      current instanceof z.ZodPrefault ||
      current instanceof z.ZodNullable ||
      current instanceof z.ZodReadonly ||
      current instanceof z.ZodNonOptional
    ) {
      current = current.def.innerType as Schema;
    } else {
      return current;
    }
  }
}

// Schemas never change once they are made, and thousands of documents are looked at by the same ones.
const alternativesOf = new WeakMap<Schema, readonly Schema[]>();

/** The schemas that a value may follow: the members of a union one by one, else the schema alone. */
export function alternatives(schema: Schema): readonly Schema[] {
  const known = alternativesOf.get(schema);
  if (known !== undefined) return known;
  const inner = unwrapped(schema);
  const found =
    inner instanceof z.ZodUnion ? inner.def.options.flatMap((option) => alternatives(option as Schema)) : [inner];
  alternativesOf.set(schema, found);
  return found;
}

/** The schema of a member as it was declared, with its metadata; undefined where the shape has no such member. */
export function memberSchema(schema: Schema, key: PathSegment): Schema | undefined {
  for (const alternative of alternatives(schema)) {
    if (alternative instanceof z.ZodObject) {
      const shape = alternative.def.shape as Readonly<Record<string, Schema>>;
      const member = Object.hasOwn(shape, key) ? shape[key] : undefined;
      if (member !== undefined) return member;
    } else if (alternative instanceof z.ZodRecord) {
      return alternative.def.valueType as Schema;
    } else if (alternative instanceof z.ZodArray) {
      return alternative.def.element as Schema;
    }
  }
  return undefined;
}

export function schemaAt(schema: Schema, path: readonly PathSegment[]): Schema | undefined {
  let current: Schema | undefined = schema;
  for (const segment of path) current = current === undefined ? undefined : memberSchema(current, segment);
  return current;
}

const keysOfSchemas = new WeakMap<Schema, readonly string[]>();

/** The keys that an object, or a mapping with listed keys, can have. */
export function knownKeys(schema: Schema): readonly string[] {
  const known = keysOfSchemas.get(schema);
  if (known !== undefined) return known;
  const keys = findKeys(schema);
  keysOfSchemas.set(schema, keys);
  return keys;
}

function findKeys(schema: Schema): string[] {
  return alternatives(schema).flatMap((alternative) => {
    if (alternative instanceof z.ZodObject) return Object.keys(alternative.def.shape as object);
    if (alternative instanceof z.ZodRecord) {
      const keys = unwrapped(alternative.def.keyType as Schema);
      return keys instanceof z.ZodEnum ? Object.keys(keys.def.entries) : [];
    }
    return [];
  });
}

const metas = new WeakMap<Schema, z.core.GlobalMeta | undefined>();

/** Metadata of a field, also when a wrapper was put around it later. */
export function metaOf(schema: Schema): z.core.GlobalMeta | undefined {
  // The registry puts them together anew each time.
  if (!metas.has(schema)) metas.set(schema, findMeta(schema));
  return metas.get(schema);
}

function findMeta(schema: Schema): z.core.GlobalMeta | undefined {
  const own = z.globalRegistry.get(schema);
  if (own !== undefined) return own;
  const inner = schema instanceof z.ZodType && 'innerType' in schema.def ? (schema.def.innerType as Schema) : undefined;
  return inner === undefined ? undefined : metaOf(inner);
}
