import { readLimits } from '../../shared/environment/read-limits.ts';
import { isJsonObject, isNestedDeeper, jsonText, type JsonObject, type JsonValue } from '../../shared/model/json.ts';
import { checkShape } from '../../shared/schema/check-shape.ts';
import type { z } from 'zod';
import { text } from '../text/text.ts';
import type { FieldDescriptor } from './field-descriptor.ts';

/** One row of a mapping. Rows, because keys may hold anything, while a form's paths may not. */
export interface MappingRow {
  readonly key: string;
  readonly value: string;
}

/** One row of a mapping to objects. */
export interface EntryRow {
  readonly key: string;
  readonly members: FormValues;
}

/** What a field holds while it is edited. An empty text is "not set" everywhere. */
export type FieldValue =
  | string
  | boolean
  | readonly MappingRow[]
  | readonly EntryRow[]
  | { readonly $secret: string }
  | FormValues;
export interface FormValues {
  [key: string]: FieldValue;
}

/** An object as the form edits it. */
export function toFormValues(fields: readonly FieldDescriptor[], object: JsonObject): FormValues {
  return Object.fromEntries(
    fields.map((field) => [
      field.key,
      toFieldValue(field, Object.hasOwn(object, field.key) ? object[field.key] : undefined),
    ]),
  );
}

export function toFieldValue(field: FieldDescriptor, value: JsonValue | undefined): FieldValue {
  switch (field.kind) {
    case 'object':
      return toFormValues(field.members ?? [], isJsonObject(value) ? value : {});
    case 'mapping':
      return isJsonObject(value) ? Object.entries(value).map(([key, one]) => ({ key, value: jsonText(one) })) : [];
    case 'entries':
      return isJsonObject(value)
        ? Object.entries(value).map(([key, one]) => ({
            key,
            members: toFormValues(field.members ?? [], isJsonObject(one) ? one : {}),
          }))
        : [];
    case 'pairs':
      return Array.isArray(value) ? value.filter(isJsonObject).map((one) => pairRow(field, one)) : [];
    case 'list':
      return Array.isArray(value) ? value.map(jsonText).join('\n') : '';
    case 'json':
      return value === undefined ? '' : JSON.stringify(value, null, 2);
    case 'boolean':
      return typeof value === 'boolean'
        ? value
        : typeof value === 'string' && value !== ''
          ? /^(true|yes|on|1)$/i.test(value)
          : '';
    case 'secret':
      return isJsonObject(value) ? { $secret: jsonText(value['$secret']) } : '';
    default:
      return jsonText(value);
  }
}

/** What the form holds as an object: keys that are not set are absent. */
export function fromFormValues(fields: readonly FieldDescriptor[], values: FormValues): JsonObject {
  const object: Record<string, JsonValue> = {};
  for (const field of fields) {
    const value = fromFieldValue(field, values[field.key] ?? '');
    if (value !== undefined) object[field.key] = value;
  }
  return object;
}

export function fromFieldValue(field: FieldDescriptor, value: FieldValue): JsonValue | undefined {
  if (value === '') return undefined;
  switch (field.kind) {
    case 'object': {
      const inner = fromFormValues(field.members ?? [], value as FormValues);
      return Object.keys(inner).length === 0 ? undefined : inner;
    }
    case 'mapping': {
      const rows = (value as readonly MappingRow[]).filter((row) => row.key !== '' || row.value !== '');
      return rows.length === 0 ? undefined : Object.fromEntries(rows.map((row) => [row.key, row.value]));
    }
    case 'entries': {
      const rows = (value as readonly EntryRow[])
        .map((row) => [row.key, fromFormValues(field.members ?? [], row.members)] as const)
        .filter(([key, one]) => key !== '' || Object.keys(one).length > 0);
      return rows.length === 0 ? undefined : Object.fromEntries(rows);
    }
    case 'pairs': {
      const rows = (value as readonly MappingRow[]).filter((row) => row.key !== '' || row.value !== '');
      const [key, right] = field.pair!;
      return rows.length === 0 ? undefined : rows.map((row) => ({ [key.key]: row.key, [right.key]: row.value }));
    }
    case 'list': {
      const lines = (value as string).split('\n').filter((line) => line.trim() !== '');
      return lines.length === 0 ? undefined : lines;
    }
    case 'json':
      return parsedJson(value as string) ?? (value as string);
    case 'number':
      // What is no number stays a text, for the schema to say so.
      return /^-?\d+(\.\d+)?$/.test((value as string).trim()) ? Number(value) : (value as string);
    case 'choice':
      return field.choices?.find((choice) => String(choice) === value) ?? (value as string);
    default:
      return value as JsonValue;
  }
}

function pairRow({ pair }: FieldDescriptor, object: JsonObject): MappingRow {
  const [key, value] = pair!;
  return { key: jsonText(object[key.key]), value: jsonText(object[value.key]) };
}

function parsedJson(written: string): JsonValue | undefined {
  try {
    const value = JSON.parse(written) as JsonValue;
    return isNestedDeeper(value, readLimits.depth) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** What is wrong with each field, by its path in the form (`a.b`). */
export function fieldProblems(
  schema: z.ZodObject,
  fields: readonly FieldDescriptor[],
  values: FormValues,
): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  collectOwnProblems(fields, values, [], problems);
  for (const { path, message, rule } of checkShape(schema, fromFormValues(fields, values), {
    unknownKey: ({ key }) => ({ message: key }),
  })) {
    const at = fieldPath(fields, path.map(String));
    if (!problems.has(at)) problems.set(at, rule === 'missing-key' ? text.forms.missing : message);
  }
  return problems;
}

/** What a schema can't see: a text that is no JSON, a key that is there twice. */
function collectOwnProblems(
  fields: readonly FieldDescriptor[],
  values: FormValues,
  below: readonly string[],
  problems: Map<string, string>,
): void {
  for (const field of fields) {
    const at = [...below, field.key];
    const value = values[field.key] ?? '';
    if (field.kind === 'object') collectOwnProblems(field.members ?? [], value as FormValues, at, problems);
    if (field.kind === 'json' && value !== '' && parsedJson(value as string) === undefined)
      problems.set(at.join('.'), text.forms.notJson);
    if (field.kind === 'mapping' || field.kind === 'entries') {
      const keys = (value as readonly { readonly key: string }[]).map((row) => row.key);
      const twice = keys.find((key, index) => key !== '' && keys.indexOf(key) !== index);
      if (twice !== undefined) problems.set(at.join('.'), text.forms.duplicateKey(twice));
    }
  }
}

/** The field that a place in the object belongs to. */
function fieldPath(fields: readonly FieldDescriptor[], path: readonly string[]): string {
  const [key = '', ...rest] = path;
  const field = fields.find((one) => one.key === key);
  return field?.kind === 'object' && rest.length > 0 ? `${key}.${fieldPath(field.members ?? [], rest)}` : key;
}
