import { z } from 'zod';

/** A side of the document, but for what its environment holds: that is the plugin's matter. */
export const sideSchema = z.strictObject({
  plugin: z.string(),
  environment: z.record(z.string(), z.unknown()),
});

/** The root of the document; the parts are checked one by one. */
export const documentSchema = z.strictObject({
  /** Where editors find the schema of the document. */
  $schema: z.string().optional(),
  vm: z.unknown().optional(),
  source: z.unknown().optional(),
  destination: z.unknown().optional(),
});
