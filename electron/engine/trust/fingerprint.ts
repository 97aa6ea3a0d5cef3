import { createHash } from 'node:crypto';
import type { JsonValue } from '../../../shared/model/json.ts';

/** SHA-256 over a value in a canonical form: the order of keys makes no difference. */
export function fingerprint(value: JsonValue): string {
  return createHash('sha256').update(canonical(value)).digest('hex');
}

function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map((element: JsonValue) => canonical(element)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .filter(([, child]) => child !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, child]) => `${JSON.stringify(key)}:${canonical(child)}`)
    .join(',')}}`;
}
