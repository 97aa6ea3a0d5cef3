import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/model/json.ts';

/** Reads of QMP answers: what is not of the expected type is missing, never guessed. */

export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((entry: JsonValue): entry is JsonObject => isJsonObject(entry)) : [];
}

export function objectAt(parent: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = parent?.[key];
  return value !== undefined && isJsonObject(value) ? value : undefined;
}

export function textAt(parent: JsonObject | undefined, key: string): string | undefined {
  const value = parent?.[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numberAt(parent: JsonObject | undefined, key: string): number | undefined {
  const value = parent?.[key];
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

export function needObject(value: JsonValue, command: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new CausewayError('source.protocol', `the QEMU response to ${command} is not an object`);
}
