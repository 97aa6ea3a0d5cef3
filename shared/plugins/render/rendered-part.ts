import type { z } from 'zod';
import type { Side } from '../../model/plugin-id.ts';
import type { PluginDefinition } from '../plugin-definition.ts';

/** What of a plugin can be rendered: one of its environments, or what its endpoints ask for. */
export type RenderedPart = Side | 'connection';

/** The schema of a part; undefined where the plugin has no such side. */
export function schemaOfPart(plugin: PluginDefinition, part: RenderedPart): z.ZodObject | undefined {
  return part === 'connection' ? plugin.connection : plugin[part]?.schema;
}
