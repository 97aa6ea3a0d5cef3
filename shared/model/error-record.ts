import { z } from 'zod';
import { isErrorCode, type ErrorRecord } from './causeway-error.ts';
import type { ErrorCode } from './errors/catalogue.ts';
import type { JsonObject } from './json.ts';

/** Codes that an earlier version recorded, and what they are called now. */
const formerCodes: Readonly<Record<string, ErrorCode>> = { 'cloud.disk-shrank': 'replication.disk-shrank' };

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
      code: isErrorCode(code) ? code : (formerCodes[code] ?? 'general.bug'),
      ...rest,
      details: details as JsonObject,
      ...(cause === undefined ? {} : { cause }),
    })),
);
