import { z } from 'zod';
import type { JsonObject } from './json.ts';
import { pluginIds } from './plugin-id.ts';

/** A JSON object whose secret leaves are references `{"$secret": "name"}`. */
export const jsonObjectSchema: z.ZodType<JsonObject, JsonObject> = z.record(z.string(), z.json());

/** A cloud or hypervisor that can be reached: the plugin and its connection parameters, secrets by reference. */
export const endpointSchema = z.object({
  id: z.string(),
  name: z.string(),
  plugin: z.enum(pluginIds),
  connection: jsonObjectSchema,
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Endpoint = z.infer<typeof endpointSchema>;
