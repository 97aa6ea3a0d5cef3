import { z } from 'zod';
import type { ErrorRecord } from './causeway-error.ts';
import { errorCatalogue, type ErrorCode } from './errors/catalogue.ts';
import type { JsonObject } from './json.ts';

/** An error as plain data, checked where it arrives. An unknown code (a newer peer's) becomes `general.bug`. */
export const errorRecordSchema: z.ZodType<ErrorRecord> = z.lazy(() =>
  z
    .object({
      code: z.string(),
      message: z.string(),
      details: z.record(z.string(), z.json()),
      retryable: z.boolean(),
      cause: errorRecordSchema.optional(),
    })
    .transform(({ code, cause, details, ...rest }): ErrorRecord => ({
      code: (Object.hasOwn(errorCatalogue, code) ? code : 'general.bug') as ErrorCode,
      ...rest,
      details: details as JsonObject,
      ...(cause === undefined ? {} : { cause }),
    })),
);
