import type { Clock } from './clock.ts';
import type { Fault } from './faults.ts';

/** Something that was accepted and is done later, as the cloud's own list of requests, jobs or tasks shows it. */
export interface OperationRecord<About = unknown> {
  readonly id: string;
  /** What it does, and to what; in the words of the cloud. */
  readonly about: About;
  state: 'running' | 'succeeded' | 'failed';
  /** Why it failed. */
  reason?: string;
  readonly startedAt: number;
  endedAt?: number;
}

/** A state that changes later. */
export interface Transition {
  readonly fault?: Fault | undefined;
  /** How long it lasts at least; the default is that of all transitions. */
  readonly delayMs?: number;
  /** What has to be done for it; when this rejects, the transition failed. */
  readonly work?: (() => Promise<void>) | undefined;
  readonly succeed: () => void;
  readonly fail: (reason: string) => void;
  readonly operation?: OperationRecord | undefined;
}

/** The operations under way of one cloud. */
export class Transitions {
  /** How long one lasts at least, ms; a test may change it at any time. */
  defaultMs: number;
  readonly #clock: Clock;
  readonly #cancels = new Set<() => void>();
  readonly #running = new Set<Promise<void>>();
  readonly #idle: (() => void)[] = [];
  #closed = false;

  constructor(clock: Clock, defaultMs: number) {
    this.#clock = clock;
    this.defaultMs = defaultMs;
  }

  /** Lets time pass, then does the work, then settles; by its fault it fails instead, or never ends. */
  start(step: Transition): void {
    if (step.fault?.effect === 'hang' || this.#closed) return;
    const cancel = this.#clock.after(step.delayMs ?? this.defaultMs, () => {
      this.#cancels.delete(cancel);
      const running = this.#settle(step).finally(() => {
        this.#running.delete(running);
        if (this.#pending() === 0) for (const resolve of this.#idle.splice(0)) resolve();
      });
      this.#running.add(running);
      return running;
    });
    this.#cancels.add(cancel);
  }

  /** Resolves when nothing is under way, but for what hangs by a fault. */
  async settled(): Promise<void> {
    if (this.#pending() > 0)
      await new Promise<void>((resolve) => {
        this.#idle.push(resolve);
      });
  }

  /** Nothing settles any more; resolves when the work that had begun has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
    await Promise.allSettled(this.#running);
  }

  #pending(): number {
    return this.#cancels.size + this.#running.size;
  }

  async #settle(step: Transition): Promise<void> {
    let failure: string | undefined;
    try {
      if (step.fault?.effect === 'status-error') throw new Error('the back end failed');
      await step.work?.();
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
    }
    if (this.#closed) return;
    if (failure === undefined) step.succeed();
    else step.fail(failure);
    if (step.operation === undefined) return;
    step.operation.state = failure === undefined ? 'succeeded' : 'failed';
    step.operation.endedAt = this.#clock.now();
    if (failure !== undefined) step.operation.reason = failure;
  }
}
