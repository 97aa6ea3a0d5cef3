import type { z } from 'zod';
import type { Rule } from '../rule.ts';
import { fieldsOf } from '../schema-fields.ts';
import { expand } from './environment-view.ts';

/** A password in plain text where a reference to the vault could stand. */
export function plainTextSecrets(plugin: string, schema: z.ZodObject): Rule {
  const patterns = fieldsOf(schema)
    .filter(({ meta }) => meta.secret === true)
    .map(({ path }) => path);
  return {
    id: `${plugin}/plain-text-secret`,
    *check({ environment }) {
      for (const pattern of patterns) {
        for (const { path, value } of expand(environment, pattern)) {
          if (typeof value !== 'string' || value === '') continue;
          yield {
            severity: 'warning',
            at: path,
            message: `${pattern.join('.')} is in plain text.`,
            suggestion: 'Store it in the vault and refer to it: {"$secret": "name"}.',
          };
        }
      }
    },
  };
}
