import { z } from 'zod';
import { errorRecordSchema } from '../model/error-record.ts';
import { fromErrorRecord, type ErrorRecord } from '../model/causeway-error.ts';

/** How an answer travels: errors are values, because carriers keep only the text of a thrown one. */
export type Envelope<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ErrorRecord };

export const envelopeSchema = z.union([
  z.object({ ok: z.literal(true), value: z.unknown() }),
  z.object({ ok: z.literal(false), error: errorRecordSchema }),
]);

/** The value, or the error thrown. */
export function opened<T>(envelope: Envelope<T>): T {
  if (envelope.ok) return envelope.value;
  throw fromErrorRecord(envelope.error);
}
