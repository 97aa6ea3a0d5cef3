/**
 * What can be made to go wrong with a call.
 * - `slow`: answered after `delayMs`
 * - `429`, `500`, `502-before`, `503`: refused, nothing done
 * - `502-after`: done, the answer is lost behind a gateway error
 * - `refused`, `refused-after`: answered with `status`, `code` and `retryAfterSeconds` of the fault; nothing done, or done
 * - `connection-reset`: cut before anything was done; `connection-reset-after`: done, then cut without an answer
 * - `answer-cut`: done, then cut in the middle of the answer's body
 * - `no-answer`: never answered, nothing done; `no-answer-after`: done, never answered
 * - `status-error`: accepted, but the resource ends in a failed state (an operation in FAILED)
 * - `hang`: accepted, but the resource stays in its intermediate state for ever
 */
export type FaultEffect =
  | 'slow'
  | '429'
  | '500'
  | '502-before'
  | '502-after'
  | '503'
  | 'refused'
  | 'refused-after'
  | 'connection-reset'
  | 'connection-reset-after'
  | 'answer-cut'
  | 'no-answer'
  | 'no-answer-after'
  | 'status-error'
  | 'hang';

export interface Fault {
  /** Operation id of the API, or `*` for every call. */
  readonly operation: string;
  /** Only calls with this method. */
  readonly method?: string;
  /** Only calls whose path matches, e.g. those for one resource. */
  readonly path?: RegExp;
  /** Which of the matching calls from now on is the first one hit, from 1. Default 1. */
  readonly nth?: number;
  /** How many matching calls in a row are hit. Default 1. */
  readonly times?: number;
  readonly effect: FaultEffect;
  /** For `slow`. Default 1,000. */
  readonly delayMs?: number;
  /** For `refused` and `refused-after`. Default 503. */
  readonly status?: number;
  /** The vendor's error code, for `refused` and `refused-after`. */
  readonly code?: string;
  /** The header `Retry-After`. Default 1 for 429, none for others. */
  readonly retryAfterSeconds?: number;
}

/** A refusal in place of an operation's own answer. */
export interface Refusal {
  readonly status: number;
  readonly code: string | undefined;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

const messages: Readonly<Record<number, string>> = {
  429: 'Too Many Requests',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

/** What the call is answered by this fault instead of its own answer, before or after it was done; undefined when it is not. */
export function refusalBy(fault: Fault | undefined, when: 'before' | 'after'): Refusal | undefined {
  if (fault === undefined) return undefined;
  const effects =
    when === 'before'
      ? { '429': 429, '500': 500, '502-before': 502, '503': 503, refused: fault.status ?? 503 }
      : { '502-after': 502, 'refused-after': fault.status ?? 503 };
  const status = (effects as Partial<Record<FaultEffect, number>>)[fault.effect];
  if (status === undefined) return undefined;
  const retryAfter = fault.retryAfterSeconds ?? (status === 429 ? 1 : undefined);
  return {
    status,
    code: fault.code,
    message: messages[status] ?? 'internal server error',
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  };
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
  take(operation: string, method = '', path = ''): Fault | undefined {
    let due: Armed | undefined;
    for (const armed of this.#armed) {
      const { fault } = armed;
      if (fault.operation !== '*' && fault.operation !== operation) continue;
      if (fault.method !== undefined && fault.method !== method) continue;
      if (fault.path !== undefined && !fault.path.test(path)) continue;
      armed.seen += 1;
      const first = fault.nth ?? 1;
      if (due === undefined && armed.seen >= first && armed.seen < first + (fault.times ?? 1)) due = armed;
    }
    if (due !== undefined) due.hits += 1;
    return due?.fault;
  }
}
