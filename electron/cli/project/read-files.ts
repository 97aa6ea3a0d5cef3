import { readFileSync, statSync } from 'node:fs';
import { formatOfFile, readDocument } from '../../../shared/environment/read-document.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/model/json.ts';
import type { PluginId } from '../../../shared/model/plugin-id.ts';
import { isPluginId, plugins } from '../../../shared/plugins/registry.ts';
import { UsageError } from '../command-context.ts';
import { readFailure } from '../validate/collect-files.ts';

/** Bytes above which a file is not what a command wants. */
const mostBytes = 256 * 1024 * 1024;

/** The content of a file that was named on the command line. @throws UsageError that says what is wrong with it */
export function readInputFile(path: string): Uint8Array {
  try {
    const { size } = statSync(path);
    if (size > mostBytes)
      throw new UsageError(
        `${path}: the file has ${Math.ceil(size / 2 ** 20)} MiB; the limit is ${mostBytes / 2 ** 20} MiB`,
      );
    return readFileSync(path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path}: ${readFailure(error)}`);
  }
}

/** The same as text in UTF-8. */
export function readInputText(path: string): string {
  return Buffer.from(readInputFile(path)).toString('utf8');
}

/** A YAML or JSON file that holds an object, read with the same care as an environment document. */
export function readObject(file: string): JsonObject {
  const { value, findings } = readDocument(readInputFile(file), formatOfFile(file));
  const fault = findings.find((finding) => finding.severity === 'error');
  if (fault !== undefined) throw new UsageError(`${file}:${fault.location?.line ?? 1}: ${fault.message}`);
  if (!isJsonObject(value)) throw new UsageError(`${file}: it must contain an object`);
  return value;
}

/** The environments of both sides of an environment document. */
export function readEnvironments(file: string): { readonly source: JsonObject; readonly destination: JsonObject } {
  const document = readObject(file);
  return { source: environmentOf(document['source']), destination: environmentOf(document['destination']) };
}

function environmentOf(side: JsonValue | undefined): JsonObject {
  const environment = isJsonObject(side) ? side['environment'] : undefined;
  return isJsonObject(environment) ? environment : {};
}

/** Connection parameters from a file, then from `--set` and `--secret`, which win. */
export function readConnection(options: {
  connection?: string;
  set: readonly string[];
  secret: readonly string[];
}): JsonObject {
  const connection: Record<string, JsonValue> =
    options.connection === undefined ? {} : { ...readObject(options.connection) };
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

/**
 * Refuses a value that cannot be what its parameter is, e.g. a key that is not one: once it is stored in the vault, only the platform would say so. All
 * else is refused by the engine. Messages name the parameter, never its value.
 */
export function refuseImpossible(plugin: PluginId, connection: JsonObject): void {
  const issues = plugins[plugin].connection.safeParse(connection).error?.issues ?? [];
  const texts = issues.flatMap((issue) => {
    const [key] = issue.path;
    const isForm = issue.code === 'custom' && issue.params?.['isForm'] === true;
    return isForm && issue.path.length === 1 && typeof connection[String(key)] === 'string'
      ? [`${String(key)} ${issue.message}`]
      : [];
  });
  if (texts.length > 0) throw new UsageError(texts.join('; '));
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
