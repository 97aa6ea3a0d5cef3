import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { abortedLater } from '../../../http/create-once.ts';
import type { Clock } from '../../../time/clock.ts';
import { pollUntil } from '../../../time/poll.ts';
import { throwIfCancelled } from '../disk-access/file-server.ts';
import type { ExportCalls, LeaseDevice } from './export-calls.ts';

/** Used where the platform does not tell. */
const USUAL_TIMEOUT_SECONDS = 300;
const READY = { deadlineMs: 300_000, firstMs: 200, capMs: 3000 };
/** What completing or aborting may take. */
const END_DEADLINE_MS = 30_000;
/** The percentage is for people who watch the platform; it stays below the end until that is reached. */
const LAST_PERCENT = 99;

/** A lease on the disks of an export: renewed as long as it is needed, and always ended. */
export class Lease {
  readonly devices: readonly LeaseDevice[];
  readonly #id: string;
  readonly #calls: ExportCalls;
  readonly #clock: Clock;
  readonly #percent: () => number;
  readonly #everyMs: number;
  readonly #ended = new AbortController();
  #callOff: () => void = () => undefined;
  #lost: CausewayError | undefined;
  #ending: Promise<void> | undefined;

  private constructor(
    id: string,
    devices: readonly LeaseDevice[],
    timeoutSeconds: number,
    calls: ExportCalls,
    clock: Clock,
    percent: () => number,
  ) {
    this.#id = id;
    this.devices = devices;
    this.#calls = calls;
    this.#clock = clock;
    this.#percent = percent;
    this.#everyMs = Math.max(1000, Math.min(30_000, (timeoutSeconds * 1000) / 4));
    this.#renewLater();
  }

  /**
   * Begins an export and waits until it is ready.
   * @param percent how much has been read, from 0 to 100
   * @throws CausewayError source.snapshot-failed when the platform refuses it
   */
  static async take(calls: ExportCalls, clock: Clock, percent: () => number, signal: AbortSignal): Promise<Lease> {
    throwIfCancelled(signal);
    const patient = abortedLater(signal, clock);
    // What was asked for begins, whether anybody waits or not: only with its id can it be ended.
    const id = await calls.begin(patient.signal).finally(() => patient.release());
    try {
      throwIfCancelled(signal);
      const ready = await pollUntil(
        async () => {
          const seen = await calls.state(id, signal);
          if (seen.state === 'error' || seen.state === 'done')
            throw new CausewayError(
              'source.request-refused',
              `the export ended before it was ready: ${seen.reason ?? seen.state}`,
              { details: { lease: id } },
            );
          return seen.state === 'ready' ? { done: true, value: seen } : { done: false, state: seen.state };
        },
        READY,
        clock,
        signal,
        (state) =>
          new CausewayError('source.request-refused', `the export was not ready in time: ${state}`, {
            retryable: true,
            details: { lease: id },
          }),
      );
      return new Lease(id, ready.devices ?? [], ready.timeoutSeconds ?? USUAL_TIMEOUT_SECONDS, calls, clock, percent);
    } catch (error) {
      // Left alone it would hold the VM until it lapses.
      await calls.abort(id, AbortSignal.timeout(END_DEADLINE_MS)).catch(() => undefined);
      throw error;
    }
  }

  /** Why it can't be used any more. */
  get lost(): CausewayError | undefined {
    return this.#lost;
  }

  /** Ends it: as complete, or given up. Never throws: a lease that can't be ended lapses by itself. */
  end(how: 'complete' | 'abort'): Promise<void> {
    this.#ending ??= this.#end(how);
    return this.#ending;
  }

  async #end(how: 'complete' | 'abort'): Promise<void> {
    this.#ended.abort();
    this.#callOff();
    const signal = AbortSignal.timeout(END_DEADLINE_MS);
    try {
      if (how === 'complete') return await this.#calls.complete(this.#id, signal);
    } catch {
      // Aborted below instead.
    }
    await this.#calls.abort(this.#id, signal).catch(() => undefined);
  }

  #renewLater(): void {
    this.#callOff = this.#clock.after(this.#everyMs, () => void this.#renew());
  }

  async #renew(): Promise<void> {
    try {
      await this.#calls.progress(this.#id, Math.min(LAST_PERCENT, Math.floor(this.#percent())), this.#ended.signal);
    } catch {
      await this.#look();
    }
    if (this.#lost === undefined && !this.#ended.signal.aborted) this.#renewLater();
  }

  /** After a refused renewal: an unreachable platform may answer next time, an ended lease never will. */
  async #look(): Promise<void> {
    const seen = await this.#calls.state(this.#id, this.#ended.signal).catch(() => undefined);
    if (seen === undefined || seen.state === 'ready') return;
    this.#lost = new CausewayError(
      'source.connection-lost',
      `the platform ended the export: ${seen.reason ?? seen.state}`,
      { details: { lease: this.#id } },
    );
  }
}
