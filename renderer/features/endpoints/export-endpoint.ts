import { stringify } from 'yaml';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/model/json.ts';

/** An endpoint as YAML for others: references to secrets are left out too, because they mean nothing elsewhere. */
export function exportedEndpoint({ name, plugin, connection }: Endpoint): string {
  return stringify({ name, plugin, connection: withoutSecrets(connection) });
}

export function withoutSecrets(object: JsonObject): JsonObject {
  const kept = Object.entries(object).filter(([, value]) => !isReference(value));
  return Object.fromEntries(kept.map(([key, value]) => [key, isJsonObject(value) ? withoutSecrets(value) : value]));
}

function isReference(value: JsonValue): boolean {
  return isJsonObject(value) && Object.keys(value).length === 1 && typeof value['$secret'] === 'string';
}
