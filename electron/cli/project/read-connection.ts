import { readFileSync } from 'node:fs';
import type { JsonObject, JsonValue } from '../../../shared/model/json.ts';
import type { PluginId } from '../../../shared/model/plugin-id.ts';
import { isPluginId, plugins } from '../../../shared/plugins/registry.ts';
import { UsageError } from '../command-context.ts';
import { readObject } from './read-environments.ts';

/** Connection parameters from a file, then from `--set` and `--secret`, which win. */
export function readConnection(options: { connection?: string; set: readonly string[]; secret: readonly string[] }): JsonObject {
  const connection: Record<string, JsonValue> = options.connection === undefined ? {} : { ...readObject(options.connection) };
  for (const text of options.set) {
    const match = /^([A-Za-z0-9_]+)(:?=)([\s\S]*)$/.exec(text);
    if (match === null) throw new UsageError(`--set wants key=value, not "${text.split('=')[0]}"`);
    const [, key = '', sign, value = ''] = match;
    connection[key] = sign === ':=' ? parseJson(key, value) : value.startsWith('@') ? readText(value.slice(1)) : value;
  }
  for (const text of options.secret) {
    const [key = '', name] = text.split('=', 2);
    if (name === undefined || name === '') throw new UsageError('--secret wants key=name');
    connection[key] = { $secret: name };
  }
  return connection;
}

export function pluginIdOf(text: string): PluginId {
  if (isPluginId(text)) return text;
  throw new UsageError(`there is no plugin ${text}; there are: ${Object.keys(plugins).join(', ')}`);
}

function parseJson(key: string, text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw new UsageError(`--set ${key}:= wants JSON`);
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new UsageError(`${path}: ${(error as NodeJS.ErrnoException).code ?? 'can not be read'}`);
  }
}
