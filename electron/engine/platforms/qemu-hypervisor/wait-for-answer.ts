import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { systemClock } from '../../time/clock.ts';
import { pollUntil } from '../../time/poll.ts';

/**
 * Asks a virtual machine again and again, with a growing pause, until there is an answer.
 * @throws CausewayError general.deadline, general.cancelled
 */
export async function waitForAnswer<T>(
  what: string,
  ask: () => Promise<T | undefined>,
  limits: { readonly deadlineMs: number; readonly longestPauseMs: number },
  signal: AbortSignal,
): Promise<T> {
  const look = async () => {
    const value = await ask();
    return value === undefined ? { done: false as const, state: 'no answer' } : { done: true as const, value };
  };
  const plan = { deadlineMs: limits.deadlineMs, firstMs: 5, capMs: limits.longestPauseMs };
  try {
    return await pollUntil(
      look,
      plan,
      systemClock,
      signal,
      () => new CausewayError('general.deadline', `${what}: not within ${limits.deadlineMs} ms`),
    );
  } catch (error) {
    if (signal.aborted) throw new CausewayError('general.cancelled', `${what} was cancelled`);
    throw error;
  }
}
