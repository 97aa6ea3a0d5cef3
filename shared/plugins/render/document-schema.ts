import { z } from 'zod';
import { sides, type PluginId } from '../../model/plugin-id.ts';
import { vmSchema } from '../../model/vm.ts';
import { plugins } from '../registry.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { schemaOfPart } from './rendered-part.ts';

type JsonSchema = Record<string, unknown>;

/**
 * JSON Schema (2020-12) of a whole environment document: what a side's environment may hold depends on its plugin. Editors
 * complete and check with it; the rules that need more than one key are those of `causeway validate`.
 */
export function documentSchemaText(): string {
  const definitions: Record<string, JsonSchema> = {
    vm: nested(z.toJSONSchema(vmSchema, { io: 'input' }) as JsonSchema),
  };
  const properties: Record<string, JsonSchema> = {
    $schema: { type: 'string', description: 'Address of this schema, for editors.' },
    vm: {
      $ref: '#/$defs/vm',
      description: 'The VM as its source describes it. Without it, rules that need the VM are skipped.',
    },
  };
  for (const side of sides) {
    const ids = (Object.keys(plugins) as PluginId[]).filter((id) => plugins[id][side] !== undefined);
    for (const id of ids)
      definitions[`${id}-${side}`] = nested(jsonSchemaOf(plugins[id], side, schemaOfPart(plugins[id], side)!));
    properties[side] = {
      type: 'object',
      description: `Plugin and environment of the ${side}.`,
      properties: { plugin: { enum: ids, description: 'ID of the platform.' }, environment: { type: 'object' } },
      required: ['plugin', 'environment'],
      additionalProperties: false,
      allOf: ids.map((id) => ({
        if: { properties: { plugin: { const: id } }, required: ['plugin'] },
        then: { properties: { environment: { $ref: `#/$defs/${id}-${side}` } } },
      })),
    };
  }
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Environment document of Causeway',
    type: 'object',
    properties,
    anyOf: sides.map((side) => ({ required: [side] })),
    additionalProperties: false,
    $defs: definitions,
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

/** A schema as a definition of another one, whose references lead to its own definitions. */
function nested({ $schema: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}
