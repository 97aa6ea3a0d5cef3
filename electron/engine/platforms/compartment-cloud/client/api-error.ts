import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { HttpClient } from '../../../http/http-client.ts';

/** The API's own codes for what a compartment may not have more of. */
const quotaCodes = ['LimitExceeded', 'QuotaExceeded', 'TooManyAttachments'];
const conflictCodes = ['IncorrectState', 'Conflict', 'InvalidatedRetryToken', 'RelatedResourceNotAuthorizedOrNotFound'];

/** The same client, with the errors of this API told apart by their codes. */
export function withApiErrors(client: HttpClient): HttpClient {
  return {
    host: client.host,
    async request(request, signal) {
      try {
        return await client.request(request, signal);
      } catch (error) {
        throw error instanceof CausewayError ? apiError(error) : error;
      }
    },
  };
}

function apiError(error: CausewayError): CausewayError {
  const { status, code, msg } = error.details;
  if (typeof status !== 'number') return error;
  const as = (ours: CausewayError['code'], more: { readonly ambiguous?: boolean } = {}): CausewayError => {
    const { ambiguous: _, ...details } = error.details;
    return new CausewayError(ours, error.message, { details: { ...details, ...more } });
  };
  // A host that has no room answers with an internal error. Nothing was made, and a repetition at once has no better luck.
  if (status >= 500 && typeof msg === 'string' && /out of (?:host )?capacity/i.test(msg))
    return as('cloud.operation-failed');
  if (typeof code !== 'string') return error;
  if (quotaCodes.includes(code)) return as('cloud.quota-exceeded');
  if (status < 500 && status !== 404 && conflictCodes.includes(code)) return as('cloud.conflict');
  if (code === 'NotAllowed' || code === 'NotAuthorized') return as('cloud.permission-denied');
  return error;
}
