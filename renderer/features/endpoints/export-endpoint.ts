import { stringify } from 'yaml';
import { readDocument } from '../../../shared/environment/read-document.ts';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/model/json.ts';
import { pluginIds, type PluginId } from '../../../shared/model/plugin-id.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { fieldsOf } from '../../../shared/plugins/schema-fields.ts';

/** An endpoint as YAML for others: references to secrets are left out too, because they mean nothing elsewhere. */
export function exportedEndpoint({ name, plugin, connection }: Endpoint): string {
  return stringify({ name, plugin, connection: withoutSecrets(connection) });
}

/** What an exported endpoint says, to start a new one with. */
export interface ImportedEndpoint {
  readonly name: string;
  readonly plugin: PluginId;
  readonly connection: JsonObject;
}

/** Undefined for a text that is no endpoint. Secrets that somebody wrote into it are not taken: they belong into the vault. */
export function importedEndpoint(text: string): ImportedEndpoint | undefined {
  const { value } = readDocument(text, text.trimStart().startsWith('{') ? 'json' : 'yaml');
  if (!isJsonObject(value)) return undefined;
  const { name, plugin, connection } = value;
  if (typeof name !== 'string' || typeof plugin !== 'string' || !isPluginId(plugin) || !isJsonObject(connection))
    return undefined;
  const secret = new Set(
    fieldsOf(plugins[plugin].connection)
      .filter(({ meta }) => meta.secret === true)
      .map(({ path }) => path[0]),
  );
  const kept = Object.entries(connection).filter(([key]) => !secret.has(key));
  return { name, plugin, connection: withoutSecrets(Object.fromEntries(kept)) };
}

function isPluginId(text: string): text is PluginId {
  return (pluginIds as readonly string[]).includes(text);
}

export function withoutSecrets(object: JsonObject): JsonObject {
  const kept = Object.entries(object).filter(([, value]) => !isReference(value));
  return Object.fromEntries(kept.map(([key, value]) => [key, isJsonObject(value) ? withoutSecrets(value) : value]));
}

function isReference(value: JsonValue): boolean {
  return isJsonObject(value) && Object.keys(value).length === 1 && typeof value['$secret'] === 'string';
}
