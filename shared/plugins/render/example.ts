import { Document, isMap, isScalar, type Scalar } from 'yaml';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Side } from '../../model/plugin-id.ts';
import type { z } from 'zod';
import type { PluginDefinition } from '../plugin-definition.ts';
import { fieldsOf, type SchemaField } from '../schema-fields.ts';
import type { RenderedPart } from './rendered-part.ts';

const topLevel = (schema: z.ZodObject): SchemaField[] => fieldsOf(schema).filter(({ path }) => path.length === 1);

/** The examples of all top-level keys. */
function allExamples(schema: z.ZodObject): JsonObject {
  return Object.fromEntries(topLevel(schema).map(({ path: [key], meta }) => [key, meta.example as JsonValue]));
}

/** An example environment in which every key counts: those that would have no effect beside the others are left out. */
export function exampleEnvironment(plugin: PluginDefinition, side: Side): JsonObject {
  const definition = plugin[side];
  if (definition === undefined) return {};
  const environment: Record<string, JsonValue> = { ...allExamples(definition.schema) };
  const context = { side, vm: undefined, providerConfiguration: {}, catalog: undefined };
  for (const rule of definition.rules) {
    for (const { at, from, severity } of [...rule.check({ ...context, environment, effective: environment })]) {
      if (severity !== 'info' && from !== 'document') delete environment[String(at[0])];
    }
  }
  return environment;
}

/** What an endpoint of the plugin may be given. */
export function exampleConnection(plugin: PluginDefinition): JsonObject {
  return allExamples(plugin.connection);
}

/**
 * An example in YAML with a comment at each key: a document with this one environment, or what an endpoint is given.
 * Keys that the example leaves out stand as comments.
 */
export function exampleYaml(plugin: PluginDefinition, part: RenderedPart, schema: z.ZodObject): string {
  const values = part === 'connection' ? exampleConnection(plugin) : exampleEnvironment(plugin, part);
  const lines = topLevel(schema).flatMap((field) => entryLines(field, values));
  if (part === 'connection') return `${lines.join('\n')}\n`;
  return [
    `${part}:`,
    `  plugin: ${plugin.id}`,
    '  environment:',
    ...lines.map((line) => (line === '' ? '' : `    ${line}`)),
    '',
  ].join('\n');
}

function entryLines({ path: [key = ''], required, meta }: SchemaField, values: JsonObject): string[] {
  const notes = [
    required ? 'Required.' : meta.builtIn === undefined ? '' : `Default: ${JSON.stringify(meta.builtIn)}.`,
    meta.unit === undefined ? '' : `Unit: ${meta.unit}.`,
  ].filter((note) => note !== '');
  const comment = wrap([meta.help ?? '', ...notes].join(' '), 96).map((line) => `# ${line}`);
  const entry = yamlOf({ [key]: values[key] ?? (meta.example as JsonValue) });
  return [...comment, ...(Object.hasOwn(values, key) ? entry : entry.map((line) => `# ${line}`)), ''];
}

function yamlOf(value: JsonObject): string[] {
  const document = new Document(value);
  if (isMap(document.contents)) {
    for (const { key, value: node } of document.contents.items) {
      if (isScalar(key)) (key as Scalar).spaceBefore = false;
      if (isScalar(node) && typeof node.value === 'string' && node.value.includes('\n')) node.type = 'BLOCK_LITERAL';
    }
  }
  return document.toString({ lineWidth: 0 }).trimEnd().split('\n');
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}
