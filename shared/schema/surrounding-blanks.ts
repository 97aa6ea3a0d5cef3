import type { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { ShapeFault } from './check-shape.ts';
import type { PathSegment } from './json-pointer.ts';
import { memberSchema, metaOf } from './schema-walk.ts';

/**
 * Texts and mapping keys with blanks around them: no platform has a resource with such a name, and nobody sees the blank.
 * Secrets, texts of several lines and blank texts are passed over.
 */
export function surroundingBlanks(value: JsonValue, schema?: z.core.$ZodType): Iterable<ShapeFault> {
  return hasBlanks(value) ? blanksIn(value, schema, []) : [];
}

/** Nearly no document has such a text, so schemas are only asked where there is one. */
function hasBlanks(value: JsonValue): boolean {
  if (typeof value === 'string') return value.trim() !== value;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).some(hasBlanks);
  for (const key in value) if (key.trim() !== key || hasBlanks((value as JsonObject)[key]!)) return true;
  return false;
}

function* blanksIn(
  value: JsonValue,
  schema: z.core.$ZodType | undefined,
  path: readonly PathSegment[],
): Generator<ShapeFault> {
  if (typeof value === 'string') {
    const trimmed = value.trim();
    if (trimmed === value || trimmed === '' || value.includes('\n')) return;
    yield {
      severity: 'warning',
      path,
      rule: 'surrounding-blanks',
      message: `The value ${where(value, trimmed)} with whitespace`,
      suggestion: `Write ${JSON.stringify(shortened(trimmed))}.`,
      fix: { kind: 'set-value', value: trimmed },
    };
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const declared = schema === undefined ? undefined : memberSchema(schema, key);
    const meta = declared === undefined ? undefined : metaOf(declared);
    if (meta?.['secret'] === true || meta?.['multiline'] === true) continue;
    const at = [...path, key];
    const trimmed = typeof key === 'string' ? key.trim() : '';
    if (typeof key === 'string' && trimmed !== key && trimmed !== '') {
      const fix =
        isJsonObject(value) && !Object.hasOwn(value, trimmed)
          ? { fix: { kind: 'rename-key', to: trimmed } as const }
          : {};
      yield {
        severity: 'warning',
        path: at,
        rule: 'surrounding-blanks',
        message: `The key ${where(key, trimmed)} with whitespace`,
        suggestion: `Write ${JSON.stringify(shortened(trimmed))}.`,
        ...fix,
      };
    }
    yield* blanksIn(member as JsonValue, declared, at);
  }
}

function where(text: string, trimmed: string): string {
  if (!text.startsWith(trimmed)) return text.endsWith(trimmed) ? 'begins' : 'begins and ends';
  return 'ends';
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
