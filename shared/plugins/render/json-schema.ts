import { z } from 'zod';
import type { PluginDefinition } from '../plugin-definition.ts';
import type { RenderedPart } from './rendered-part.ts';

type JsonSchema = Record<string, unknown>;

/** How our metadata is called in JSON Schema; what has no keyword there gets an `x-` one, and the rest is left out. */
const keywords: Readonly<Record<string, (value: unknown) => JsonSchema>> = {
  help: () => ({}),
  example: (value) => ({ examples: [value] }),
  builtIn: (value) => ({ default: value }),
  secret: () => ({ writeOnly: true }),
  group: (value) => ({ 'x-group': value }),
  unit: (value) => ({ 'x-unit': value }),
  optionsFrom: (value) => ({ 'x-options-from': value }),
  keysFrom: (value) => ({ 'x-keys-from': value }),
  takesIds: () => ({}),
  multiline: () => ({}),
};

/** JSON Schema (2020-12) of a part of a plugin, as editors use it. Other spellings that are accepted stand as deprecated. */
export function jsonSchemaOf(plugin: PluginDefinition, part: RenderedPart, schema: z.ZodObject): JsonSchema {
  const rendered = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      const entries = Object.entries(jsonSchema);
      for (const [key] of entries) delete (jsonSchema as JsonSchema)[key];
      for (const [key, value] of entries) {
        if ((key === 'maximum' || key === 'minimum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) continue;
        Object.assign(jsonSchema, keywords[key]?.(value) ?? { [key]: value });
      }
    },
  }) as JsonSchema;
  const { $schema, properties, ...rest } = rendered;
  const spellings = part === 'connection' ? {} : (plugin[part]?.acceptedSpellings ?? {});
  const all = { ...(properties as Record<string, JsonSchema>) };
  for (const [spelling, key] of Object.entries(spellings)) {
    if (all[key] !== undefined)
      all[spelling] = { ...all[key], deprecated: true, description: `Another spelling of ${key}.` };
  }
  const title = part === 'connection' ? `Connection to ${plugin.id}` : `${capital(part)} environment of ${plugin.id}`;
  return { $schema, title, ...rest, properties: all };
}

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
