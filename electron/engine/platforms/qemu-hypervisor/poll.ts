import { setTimeout as delay } from 'node:timers/promises';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';

/**
 * Asks again and again, with a growing pause, until there is an answer.
 * @throws CausewayError general.deadline, general.cancelled
 */
export async function pollUntil<T>(
  what: string,
  ask: () => Promise<T | undefined>,
  limits: { readonly deadlineMs: number; readonly longestPauseMs: number },
  signal: AbortSignal,
): Promise<T> {
  const deadline = performance.now() + limits.deadlineMs;
  for (let pause = 5; ; pause = Math.min(pause * 2, limits.longestPauseMs)) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() + pause > deadline) throw new CausewayError('general.deadline', `${what}: not within ${limits.deadlineMs} ms`);
    await delay(pause, undefined, { signal }).catch(() => {
      throw new CausewayError('general.cancelled', `${what} was cancelled`);
    });
  }
}
