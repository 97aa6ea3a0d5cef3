import { CausewayError } from '../../shared/model/causeway-error.ts';
import { abortable, abortReason } from '../engine/concurrency/abortable.ts';
import type { MoverClient } from './mover-client.ts';

/** How long a service may take to answer while a project is opened, milliseconds. */
const answerMs = 60_000;

/**
 * The calls of a service that may hang: they reject with `mover.no-answer` after some time, and at once with the signal's reason when it
 * is aborted. Of itself a client only passes the abort on and waits for the answer. Whoever calls ends the connection then.
 */
export function answersInTime(
  client: Pick<MoverClient, 'call'>,
  mover: string,
  longestMs: number = answerMs,
): Pick<MoverClient, 'call'> {
  return {
    async call(name, input, { signal } = {}) {
      const late = new AbortController();
      const timer = setTimeout(
        () =>
          late.abort(
            new CausewayError('mover.no-answer', `${mover}: no answer to ${name} within ${longestMs / 1000} s`),
          ),
        longestMs,
      );
      const within = AbortSignal.any(signal === undefined ? [late.signal] : [signal, late.signal]);
      try {
        return await abortable(client.call(name, input, { signal: within }), within);
      } catch (error) {
        throw within.aborted ? abortReason(within) : error;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
