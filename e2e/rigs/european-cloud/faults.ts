/**
 * What can be made to go wrong with a call.
 * - `slow`: answered after `delayMs`
 * - `429`, `500`, `502-before`: refused, nothing done
 * - `502-after`: done, the answer is lost behind a gateway error
 * - `connection-reset`: cut before anything was done; `connection-reset-after`: done, then cut without an answer
 * - `no-answer`: never answered, nothing done
 * - `status-error`: accepted, but the resource ends in an ERROR status (a request in FAILED)
 * - `hang`: accepted, but the resource stays in its intermediate status for ever
 */
export type FaultEffect =
  | 'slow'
  | '429'
  | '500'
  | '502-before'
  | '502-after'
  | 'connection-reset'
  | 'connection-reset-after'
  | 'no-answer'
  | 'status-error'
  | 'hang';

export interface Fault {
  /** Operation id of the API, or `*` for every call. */
  readonly operation: string;
  /** Which of the matching calls from now on is the first one hit, from 1. Default 1. */
  readonly nth?: number;
  /** How many matching calls in a row are hit. Default 1. */
  readonly times?: number;
  readonly effect: FaultEffect;
  /** For `slow`. Default 1,000. */
  readonly delayMs?: number;
}

interface Armed {
  readonly fault: Fault;
  seen: number;
  hits: number;
}

/** The faults in wait. Deterministic: which call is hit depends on the order of calls alone. */
export class FaultPlan {
  readonly #armed: Armed[] = [];

  add(fault: Fault): void {
    this.#armed.push({ fault, seen: 0, hits: 0 });
  }

  clear(): void {
    this.#armed.length = 0;
  }

  /** Faults that have not hit as often as they should. */
  pending(): readonly Fault[] {
    return this.#armed.filter((armed) => armed.hits < (armed.fault.times ?? 1)).map((armed) => armed.fault);
  }

  /** The fault for this call, if one is due; every call is counted once for every fault that matches. */
  take(operation: string): Fault | undefined {
    let due: Armed | undefined;
    for (const armed of this.#armed) {
      if (armed.fault.operation !== '*' && armed.fault.operation !== operation) continue;
      armed.seen += 1;
      const first = armed.fault.nth ?? 1;
      if (due === undefined && armed.seen >= first && armed.seen < first + (armed.fault.times ?? 1)) due = armed;
    }
    if (due !== undefined) due.hits += 1;
    return due?.fault;
  }
}
