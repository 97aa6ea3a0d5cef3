import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/model/json.ts';
import type { FieldDescriptor } from '../field-descriptor.ts';
import { sameJson } from './same-json.ts';

/**
 * What stands for a secret that was typed and is not stored yet, wherever an environment is shown. It has the form of a
 * reference, so that it passes as one; the engine makes a real one when the form is saved.
 */
export const typedSecret: JsonObject = { $secret: 'typed-in-the-form' };

/** The environment with every typed secret hidden. */
export function hideSecrets(fields: readonly FieldDescriptor[], environment: JsonObject): JsonObject {
  return mapSecrets(fields, environment, (value) => (typeof value === 'string' && value !== '' ? typedSecret : value));
}

/** An environment that was shown with hidden secrets, with those that the form holds put back. */
export function restoreSecrets(
  fields: readonly FieldDescriptor[],
  environment: JsonObject,
  held: JsonObject,
): JsonObject {
  return mapSecrets(fields, environment, (value, path) =>
    sameJson(value, typedSecret) ? (at(held, path) ?? value) : value,
  );
}

function mapSecrets(
  fields: readonly FieldDescriptor[],
  object: JsonObject,
  map: (value: JsonValue, path: readonly string[]) => JsonValue,
  below: readonly string[] = [],
): JsonObject {
  const secrets = fields.filter(({ kind, members }) => kind === 'secret' || members !== undefined);
  if (secrets.length === 0) return object;
  const entries = Object.entries(object).map(([key, value]): [string, JsonValue] => {
    const field = secrets.find((one) => one.key === key);
    const path = [...below, key];
    if (field === undefined) return [key, value];
    if (field.kind === 'secret') return [key, map(value, path)];
    return [key, isJsonObject(value) ? mapSecrets(field.members ?? [], value, map, path) : value];
  });
  return Object.fromEntries(entries);
}

function at(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const key of path) value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}
