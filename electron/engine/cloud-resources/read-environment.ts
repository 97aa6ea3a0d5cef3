import { z } from 'zod';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import { issueLine } from '../../../shared/schema/issue-line.ts';

/** The storage mapping as adapters read it. Loose: the strict shape with its findings stands with the plugins. */
export const storageMappingShape = z
  .looseObject({
    default: z.string().optional(),
    backend_mappings: z.array(z.looseObject({ source: z.string(), destination: z.string() })).optional(),
    disk_mappings: z.array(z.looseObject({ disk_id: z.string(), destination: z.string() })).optional(),
  })
  .default({});

/**
 * What an adapter reads of an effective environment, in which defaults and the VM's own values are merged.
 *
 * @throws `general.invalid-input` naming the leaves that have another type than they must
 */
export function parseEnvironment<S extends z.ZodType>(schema: S, environment: JsonObject): z.infer<S> {
  // Null is what an unset key is in some documents; it means "not given" here as in the merge before.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== null && value !== ''));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => issueLine(issue, given));
  throw new CausewayError('general.invalid-input', `destination environment: ${issues.join('; ')}`, {
    details: { issues },
  });
}

/** For a parameter that a step can't do without. @throws `cloud.parameter-missing` */
export function missing(parameter: string, message = `${parameter} is not set`): never {
  throw new CausewayError('cloud.parameter-missing', message, { details: { parameter } });
}
