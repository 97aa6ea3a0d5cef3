import { CausewayError } from '../../model/causeway-error.ts';
import type { PluginId } from '../../model/plugin-id.ts';
import { plugins } from '../registry.ts';
import { exampleYaml } from './example.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { markdownOf } from './markdown.ts';
import { type RenderedPart, schemaOfPart } from './rendered-part.ts';

export const schemaFormats = ['json-schema', 'markdown', 'example'] as const;
export type SchemaFormat = (typeof schemaFormats)[number];

/**
 * What an environment of a plugin may hold, or what its endpoints ask for: JSON Schema, a table in Markdown, or an
 * example document in YAML with a comment at each key. Throws where the plugin has no such side; ask the registry first.
 */
export function renderSchema(pluginId: PluginId, part: RenderedPart, format: SchemaFormat): string {
  const plugin = plugins[pluginId];
  const schema = schemaOfPart(plugin, part);
  if (schema === undefined) throw new CausewayError('general.bug', `${pluginId} has no ${part} environment`);
  switch (format) {
    case 'json-schema':
      return `${JSON.stringify(jsonSchemaOf(plugin, part, schema), null, 2)}\n`;
    case 'markdown':
      return markdownOf(plugin, part, schema);
    case 'example':
      return exampleYaml(plugin, part, schema);
  }
}
