import { CausewayError } from '../../../shared/model/causeway-error.ts';

/** What an aborted signal is rejected with: its own reason if that is a CausewayError, `general.cancelled` otherwise. */
export function abortReason(signal: AbortSignal): CausewayError {
  if (signal.reason instanceof CausewayError) return signal.reason;
  return new CausewayError('general.cancelled', 'the call was cancelled', { cause: signal.reason });
}

/**
 * Waits no longer than the signal allows; what is waited for goes on for others, and may fail unheard.
 *
 * @param reasonOf what the wait is rejected with: the signal's own reason if nothing is said
 */
export async function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  reasonOf: (signal: AbortSignal) => unknown = ({ reason }) => reason,
): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(reasonOf(signal));
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
