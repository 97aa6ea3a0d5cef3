import { notFound } from './call.ts';
import type { ApiError } from './call.ts';
import type { Clock } from './clock.ts';

/**
 * How far listings are behind: what was created is missing from them, and what was deleted stays in them, for so long
 * and for so many listings. A test may change both at any time; reading by id is never behind.
 */
export interface ListingLag {
  ms: number;
  listings: number;
}

interface Late<T> {
  readonly value: T;
  readonly at: number;
  seen: number;
}

/** One kind of resource, by id. */
export class Collection<T extends object> extends Map<string, T> {
  readonly #what: string;
  readonly #lag: ListingLag;
  readonly #clock: Clock;
  readonly #born = new Map<string, Late<T>>();
  readonly #gone = new Map<string, Late<T>>();

  constructor(what: string, lag: ListingLag, clock: Clock) {
    super();
    this.#what = what;
    this.#lag = lag;
    this.#clock = clock;
  }

  /** The resource, or the API's 404. */
  demand(id: string | undefined, error: (what: string) => ApiError = notFound): T {
    const found = id === undefined ? undefined : this.get(id);
    if (found === undefined) throw error(this.#what);
    return found;
  }

  override set(id: string, value: T): this {
    if (this.#isBehind() && !this.has(id)) this.#born.set(id, { value, at: this.#clock.now(), seen: 0 });
    return super.set(id, value);
  }

  override delete(id: string): boolean {
    const value = this.get(id);
    // What was never listed does not appear because it was deleted.
    const wasListed = value !== undefined && !this.#born.delete(id);
    if (this.#isBehind() && wasListed) this.#gone.set(id, { value: { ...value }, at: this.#clock.now(), seen: 0 });
    return super.delete(id);
  }

  /** What a listing shows now. Counts as a listing. */
  listed(): T[] {
    const stillLate = (late: Map<string, Late<T>>): Map<string, Late<T>> => {
      for (const [id, one] of late) {
        const isLate = this.#clock.now() - one.at < this.#lag.ms || one.seen < this.#lag.listings;
        one.seen += 1;
        if (!isLate) late.delete(id);
      }
      return late;
    };
    const unseen = stillLate(this.#born);
    const ghosts = stillLate(this.#gone);
    const shown = [...this].filter(([id]) => !unseen.has(id)).map(([, value]) => value);
    return [...shown, ...[...ghosts.values()].map(({ value }) => value)];
  }

  #isBehind(): boolean {
    return this.#lag.ms > 0 || this.#lag.listings > 0;
  }
}

/** Throws when a resource is in a state in which it can't be asked for this. */
export function demandStatus(
  what: string,
  status: string,
  allowed: readonly string[],
  error: (message: string) => ApiError,
): void {
  if (!allowed.includes(status)) throw error(`${what} is in status ${status}, has to be ${allowed.join(' or ')}`);
}

/** Throws by `error` when there would be more than the quotas allow; what has no limit is not counted. */
export function demandQuota(
  limits: Readonly<Record<string, number | undefined>>,
  usage: Readonly<Record<string, number>>,
  more: Readonly<Record<string, number | undefined>>,
  error: (message: string) => ApiError,
): void {
  for (const [name, amount = 0] of Object.entries(more)) {
    const limit = limits[name];
    const used = usage[name] ?? 0;
    if (limit !== undefined && used + amount > limit)
      throw error(`quota exceeded for ${name}: limit ${limit}, in use ${used}, requested ${amount}`);
  }
}
