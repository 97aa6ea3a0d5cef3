import { z } from 'zod';
import type { FieldMeta } from './field-meta.ts';

/** One key of a schema at any depth. `*` in the path stands for each element of a list or each entry of a mapping. */
export interface SchemaField {
  readonly path: readonly string[];
  /** As declared, with its metadata. */
  readonly schema: z.ZodType;
  /** Without `optional`, `default` and the like. */
  readonly inner: z.ZodType;
  readonly required: boolean;
  readonly meta: Partial<FieldMeta>;
}

/** The schema below `optional`, `nullable`, `default` and other wrappers. */
export function unwrap(schema: z.ZodType): z.ZodType {
  let current = schema;
  while ('innerType' in current.def) current = current.def.innerType as z.ZodType;
  return current;
}

/** All keys of an object schema, parents before children, in the order of declaration. */
export function fieldsOf(schema: z.ZodObject, below: readonly string[] = []): SchemaField[] {
  const fields: SchemaField[] = [];
  for (const [key, declared] of Object.entries(schema.shape as Record<string, z.ZodType>)) {
    const path = [...below, key];
    const inner = unwrap(declared);
    fields.push({
      path,
      schema: declared,
      inner,
      required: !declared.safeParse(undefined).success,
      meta: (declared.meta() ?? {}) as Partial<FieldMeta>,
    });
    fields.push(...childrenOf(inner, path));
  }
  return fields;
}

function childrenOf(schema: z.ZodType, path: readonly string[]): SchemaField[] {
  if (schema instanceof z.ZodObject) return fieldsOf(schema, path);
  const member =
    schema instanceof z.ZodArray ? schema.element : schema instanceof z.ZodRecord ? schema.valueType : undefined;
  return member instanceof z.ZodObject ? fieldsOf(member, [...path, '*']) : [];
}
