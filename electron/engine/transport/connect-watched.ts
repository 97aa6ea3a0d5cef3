import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { systemClock, type Clock } from '../time/clock.ts';

/** How long a worker may be silent before this is reported and its platform is asked for its state, in milliseconds. */
export const slowWorkerMs = 15_000;

export interface WorkerWatch {
  /** Where it is to answer, for the note. */
  readonly host: string;
  readonly note: (message: string) => void;
  /** Why the worker can't answer, in its platform's words; undefined: it runs, as far as the platform knows. */
  readonly whyDown: (signal: AbortSignal) => Promise<string | undefined>;
  readonly slowMs?: number | undefined;
  readonly clock?: Clock;
}

/**
 * Connects to a worker, and asks its platform every now and then whether it runs at all while it does not answer: from
 * here, a worker that is starting and one that has crashed look the same for minutes.
 *
 * @param connect retries until its own deadline, or until its signal is aborted
 * @throws `transport.worker-down`; whatever `connect` throws
 */
export async function connectWatched<T>(
  connect: (signal: AbortSignal) => Promise<T>,
  watch: WorkerWatch,
  signal: AbortSignal,
): Promise<T> {
  const connected = new AbortController();
  const down = new AbortController();
  const looking = lookAfter(watch, AbortSignal.any([signal, connected.signal])).then((why) => {
    if (why !== undefined)
      down.abort(new CausewayError('transport.worker-down', `the worker at ${watch.host} does not respond: ${why}`));
  });
  try {
    return await connect(AbortSignal.any([signal, down.signal]));
  } catch (error) {
    throw down.signal.aborted && !signal.aborted ? down.signal.reason : error;
  } finally {
    connected.abort();
    await looking;
  }
}

/** Resolves with why the worker is down, or with nothing when the signal is aborted. */
async function lookAfter(
  { host, note, whyDown, slowMs = slowWorkerMs, clock = systemClock }: WorkerWatch,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (let look = 0; ; look += 1) {
    await clock.sleep(slowMs, signal).catch(() => undefined);
    if (signal.aborted) return undefined;
    if (look === 0) note(`waiting for the worker at ${host} to respond; it may still be starting`);
    try {
      const why = await whyDown(signal);
      if (why !== undefined) return why;
    } catch {
      // A platform that can't be asked just now says nothing about the worker.
    }
  }
}
