import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { Finding } from './finding.ts';
import { alternatives, metaOf } from './schema-walk.ts';

type Advice = Pick<Finding, 'suggestion' | 'fix'>;

/**
 * How to write a value of a wrong type, where that can be told from the value or from the schema's example. Values are
 * only quoted where the field is no secret.
 */
export function formAdvice(schema: z.core.$ZodType | undefined, value: unknown): Advice {
  if (schema === undefined) return {};
  const meta = metaOf(schema);
  const kinds = alternatives(schema);
  if (meta?.['secret'] === true) return {};
  const object = kinds.find((kind) => kind instanceof z.ZodObject);
  const wrapped = object === undefined ? undefined : asObject(object, value);
  if (wrapped !== undefined)
    return { suggestion: `Write ${shown(wrapped)}.`, fix: { kind: 'set-value', value: wrapped } };
  const isContainer = kinds.some((kind) => kind instanceof z.ZodObject || kind instanceof z.ZodRecord);
  if (!isContainer) return {};
  const example = meta?.['example'] ?? (object === undefined ? undefined : exampleOf(object));
  return example === undefined ? {} : { suggestion: `Use the form ${shown(example as JsonValue)}.` };
}

/** A text or a list in the place of an object, as the object that was most likely meant. */
function asObject(schema: z.ZodObject, value: unknown): JsonObject | undefined {
  const keys = Object.keys(schema.shape);
  if (Array.isArray(value)) {
    const list = value as readonly JsonValue[];
    const has = (key: string) => list.length > 0 && list.every((one) => isJsonObject(one) && Object.hasOwn(one, key));
    if (keys.includes('disk_mappings') && has('disk_id')) return { disk_mappings: list };
    return keys.includes('backend_mappings') && has('source') ? { backend_mappings: list } : undefined;
  }
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const required = keys.filter((key) => !z.safeParse(schema.shape[key] as z.core.$ZodType, undefined).success);
  if (keys.includes('backend_mappings') && keys.includes('default')) return { default: value };
  if (required.length === 1) return { [required[0]!]: value };
  const parts = value.split(':').map((part) => part.trim());
  if (parts.length !== required.length || parts.length < 2 || parts.includes('')) return undefined;
  return Object.fromEntries(required.map((key, index) => [key, parts[index]!]));
}

function exampleOf(schema: z.ZodObject): JsonObject {
  const examples = Object.entries(schema.shape).map(
    ([key, member]) => [key, metaOf(member as z.core.$ZodType)?.['example']] as const,
  );
  return Object.fromEntries(examples.filter(([, example]) => example !== undefined)) as JsonObject;
}

/** JSON on one line with blanks, as people write it; cut where it is long. */
export function shown(value: JsonValue): string {
  const text = JSON.stringify(value, undefined, 1)
    .replaceAll(/\n\s*/g, ' ')
    .replaceAll(/([{[]) | ([}\]])/g, '$1$2');
  return text.length > 200 ? `${text.slice(0, 197)}...` : text;
}

const sizeText = /^(\d{1,12}(?:\.\d{1,3})?)\s*(?:([kmgt])(i)?b?|b|bytes)$/i;

/** A size with a unit in the place of a number: `80GB` where bytes, MB or GB are counted. */
export function sizeAdvice(key: string, unit: string | undefined, value: string): Advice {
  const match = sizeText.exec(value.trim());
  const counted =
    key.endsWith('_bytes') || unit === 'bytes'
      ? 1
      : key.endsWith('_mb') || unit === 'MB'
        ? 2 ** 20
        : unit === 'KiB'
          ? 2 ** 10
          : unit === 'GB'
            ? 2 ** 30
            : undefined;
  if (match === null || counted === undefined) return {};
  const letter = match[2]?.toLowerCase();
  const bytes = Number(match[1]) * (letter === undefined ? 1 : 1024 ** ('kmgt'.indexOf(letter) + 1));
  const number = Math.round(bytes / counted);
  if (!Number.isSafeInteger(number) || number < 1) return {};
  const power =
    letter !== undefined && match[3] === undefined && counted === 1
      ? ` (${letter.toUpperCase()}B is read as ${letter.toUpperCase()}iB)`
      : '';
  return { suggestion: `Write ${number} without a unit${power}.`, fix: { kind: 'set-value', value: number } };
}
