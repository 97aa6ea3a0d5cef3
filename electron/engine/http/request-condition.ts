import { AsyncLocalStorage } from 'node:async_hooks';

const conditions = new AsyncLocalStorage<() => void>();

/**
 * Every request that begins while `work` is carried out, however deep and however late, first asks whether it still may. A signal can't say
 * that: after a process was stopped, what it was about to send comes before the timer or the message that would abort the signal.
 *
 * @param condition throws when nothing may be sent any more
 */
export function underCondition<T>(condition: () => void, work: () => T): T {
  return conditions.run(condition, work);
}

/** What has to hold here, to be called right before a request is handed to the system. */
export function conditionHere(): () => void {
  return conditions.getStore() ?? (() => undefined);
}
