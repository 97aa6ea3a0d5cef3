import { z } from 'zod';
import { unwrap } from '../schema-fields.ts';

/** A schema's type and limits in a few words, e.g. "integer, at least 1". */
export function typeLabel(schema: z.ZodType): string {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodUnion)
    return [...new Set(inner.options.map((option) => typeLabel(option as z.ZodType)))].join(' or ');
  if (inner instanceof z.ZodEnum) return `one of ${inner.options.map((one) => JSON.stringify(one)).join(', ')}`;
  if (inner instanceof z.ZodLiteral) return [...inner.values].map((one) => JSON.stringify(one)).join(' or ');
  if (inner instanceof z.ZodArray) return listLabel(inner);
  if (inner instanceof z.ZodRecord) return `mapping of text to ${typeLabel(inner.valueType as z.ZodType)}`;
  if (inner instanceof z.ZodObject)
    return Object.keys(inner.shape).join() === '$secret' ? 'secret reference' : 'object';
  const { type, format } = z.toJSONSchema(inner, { io: 'input' });
  if (type === 'string') return format === 'uri' ? 'URL' : `text${limits(schema, ['minLength', 'maxLength'])}`;
  return `${String(type)}${limits(schema, ['minimum', 'maximum'])}`;
}

function listLabel(list: z.ZodArray): string {
  const [element = '', ...each] = typeLabel(list.element as z.ZodType).split(', ');
  const limit = limits(list, ['minItems', 'maxItems']);
  return `list of ${element}s${limit}${each.length === 0 ? '' : `, each ${each.join(', ')} characters`}`;
}

function limits(schema: z.ZodType, [least, most]: readonly [string, string]): string {
  const json = z.toJSONSchema(unwrap(schema), { io: 'input' }) as Record<string, unknown>;
  const { [least]: from, [most]: to } = json;
  const parts: string[] = [];
  if (typeof from === 'number' && from > Number.MIN_SAFE_INTEGER && !(least === 'minLength' && from === 1))
    parts.push(`at least ${from}`);
  if (typeof to === 'number' && to < Number.MAX_SAFE_INTEGER) parts.push(`at most ${to}`);
  return parts.length === 0 ? '' : `, ${parts.join(', ')}`;
}
