import { CausewayError } from '../../../shared/model/causeway-error.ts';

/** What an aborted signal is rejected with: its own reason if that is a CausewayError, `general.cancelled` otherwise. */
export function abortReason(signal: AbortSignal): CausewayError {
  if (signal.reason instanceof CausewayError) return signal.reason;
  return new CausewayError('general.cancelled', 'the call was cancelled', { cause: signal.reason });
}
