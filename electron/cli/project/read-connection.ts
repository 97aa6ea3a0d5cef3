import type { JsonObject, JsonValue } from '../../../shared/model/json.ts';
import type { PluginId } from '../../../shared/model/plugin-id.ts';
import { isPluginId, plugins } from '../../../shared/plugins/registry.ts';
import { UsageError } from '../command-context.ts';
import { readObject } from './read-environments.ts';
import { readInputText } from './read-input-file.ts';

/** Connection parameters from a file, then from `--set` and `--secret`, which win. */
export function readConnection(options: { connection?: string; set: readonly string[]; secret: readonly string[] }): JsonObject {
  const connection: Record<string, JsonValue> = options.connection === undefined ? {} : { ...readObject(options.connection) };
  for (const text of options.set) {
    const match = /^([A-Za-z0-9_]+)(:?=)([\s\S]*)$/.exec(text);
    if (match === null) throw new UsageError(`--set must be key=value, not "${text.split('=')[0]}"`);
    const [, key = '', sign, value = ''] = match;
    connection[key] = sign === ':=' ? parseJson(key, value) : value.startsWith('@') ? readText(value.slice(1)) : value;
  }
  for (const text of options.secret) {
    const [key = '', name] = text.split('=', 2);
    if (name === undefined || name === '') throw new UsageError('--secret must be key=name');
    connection[key] = { $secret: name };
  }
  return connection;
}

export function pluginIdOf(text: string): PluginId {
  if (isPluginId(text)) return text;
  throw new UsageError(`unknown plugin ${text}; plugins: ${Object.keys(plugins).join(', ')}`);
}

function parseJson(key: string, text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw new UsageError(`--set ${key}:= must be followed by JSON`);
  }
}

function readText(path: string): string {
  return readInputText(path).replace(/\r?\n$/, '');
}
