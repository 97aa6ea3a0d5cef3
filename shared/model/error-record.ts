import { z } from 'zod';
import { isErrorCode, type ErrorRecord } from './causeway-error.ts';
import type { ErrorCode } from './errors/catalogue.ts';
import type { JsonObject } from './json.ts';

/** Codes that an earlier version recorded, and what they are called now. */
const formerCodes: ReadonlyMap<string, ErrorCode> = new Map<string, ErrorCode>([
  ['cloud.disk-shrank', 'replication.disk-shrank'],
]);

/** What a code is called now. One that is unknown here (a newer version's) becomes `general.bug`. */
function presentCode(code: string): ErrorCode {
  return isErrorCode(code) ? code : (formerCodes.get(code) ?? 'general.bug');
}

/** An error that any version may have recorded, with the present codes, its causes as well. */
export function presentError({ cause, ...record }: ErrorRecord): ErrorRecord {
  return { ...record, code: presentCode(record.code), ...(cause === undefined ? {} : { cause: presentError(cause) }) };
}

/** An error as plain data, checked where it arrives, with the present codes. */
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
      code: presentCode(code),
      ...rest,
      details: details as JsonObject,
      ...(cause === undefined ? {} : { cause }),
    })),
);
