import { createHash, randomBytes } from 'node:crypto';
import { badRequest } from './call.ts';
import type { ApiError } from './call.ts';
import type { Clock } from './clock.ts';

interface OpenListing {
  readonly asked: string;
  readonly rest: readonly unknown[];
  readonly until: number;
}

export interface PageWish {
  /** The token of an earlier page; undefined for the first. */
  readonly token?: string | null | undefined;
  /** How many items at most. */
  readonly limit: number;
  /** What is listed, with its filters: a token is good for the same listing only. */
  readonly asked: string;
}

/**
 * Listings in pages. What is listed is fixed with the first page, as by clouds whose listings are consistent; a token
 * can be used again, as a client does whose answer was lost, and ends after `lifetimeMs`.
 */
export class Pages {
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  readonly #open = new Map<string, OpenListing>();
  readonly #invalid: (problem: string) => ApiError;

  constructor(
    clock: Clock,
    options: { readonly lifetimeMs?: number; readonly invalid?: (problem: string) => ApiError } = {},
  ) {
    this.#clock = clock;
    this.#lifetimeMs = options.lifetimeMs ?? 3_600_000;
    this.#invalid = options.invalid ?? ((problem) => badRequest(problem));
  }

  page<T>(items: readonly T[], wish: PageWish): { readonly items: readonly T[]; readonly next: string | undefined } {
    let rest = items;
    if (wish.token !== undefined && wish.token !== null && wish.token !== '') {
      const open = this.#open.get(wish.token);
      if (open === undefined || open.asked !== wish.asked)
        throw this.#invalid('the page token is not valid for this listing');
      if (open.until < this.#clock.now()) throw this.#invalid('the page token has expired');
      rest = open.rest as readonly T[];
    }
    if (rest.length <= wish.limit) return { items: rest, next: undefined };
    const next = randomBytes(24).toString('base64url');
    this.#open.set(next, {
      asked: wish.asked,
      rest: rest.slice(wish.limit),
      until: this.#clock.now() + this.#lifetimeMs,
    });
    return { items: rest.slice(0, wish.limit), next };
  }

  /** All tokens stop being accepted, as after a long pause. */
  expire(): void {
    this.#open.clear();
  }
}

interface Taken {
  readonly parameters: string;
  readonly result: unknown;
}

/** Tokens by which a client marks a request that it may have to send again: the same one does nothing twice. */
export class ClientTokens {
  readonly #taken = new Map<string, Taken>();
  readonly #mismatch: (token: string) => ApiError;

  /** @param mismatch the API's error for a token that came with other parameters before */
  constructor(mismatch: (token: string) => ApiError) {
    this.#mismatch = mismatch;
  }

  /** Does `act` once for each token; a request without one is always carried out. What throws takes no token. */
  async once<T>(
    operation: string,
    token: string | undefined,
    parameters: unknown,
    act: () => T | Promise<T>,
  ): Promise<T> {
    if (token === undefined || token === '') return act();
    const key = `${operation} ${token}`;
    const digest = createHash('sha256').update(JSON.stringify(parameters)).digest('hex');
    const before = this.#taken.get(key);
    if (before !== undefined) {
      if (before.parameters !== digest) throw this.#mismatch(token);
      return before.result as T;
    }
    // Taken before it is done: a second request that comes meanwhile waits for the first one's result.
    const result = Promise.resolve().then(act);
    this.#taken.set(key, { parameters: digest, result });
    result.catch(() => this.#taken.delete(key));
    return result;
  }
}
