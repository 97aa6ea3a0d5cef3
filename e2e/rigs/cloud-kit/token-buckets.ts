/** A bucket of tokens: each request takes one, and so many come back a second. */
export interface Bucket {
  readonly size: number;
  readonly perSecond: number;
  /** How many it has at the beginning; fewer where others of the account have been there before. Default: all. */
  readonly atFirst?: number;
}

/** The buckets of one account, by name. A name without a bucket is never refused. */
export class TokenBuckets {
  /** Requests for which there was no token. */
  refused = 0;
  readonly #buckets: Readonly<Record<string, Bucket>>;
  readonly #now: () => number;
  readonly #levels = new Map<string, { tokens: number; at: number }>();

  constructor(buckets: Readonly<Record<string, Bucket>>, now: () => number = Date.now) {
    this.#buckets = buckets;
    this.#now = now;
  }

  /** Takes a token. Says how many are left, or after how many milliseconds there is one; undefined where nothing is counted. */
  take(name: string): { readonly left: number; readonly waitMs: number } | undefined {
    const bucket = this.#buckets[name];
    if (bucket === undefined) return undefined;
    const now = this.#now();
    const level = this.#levels.get(name) ?? { tokens: bucket.atFirst ?? bucket.size, at: now };
    const tokens = Math.min(bucket.size, level.tokens + ((now - level.at) / 1000) * bucket.perSecond);
    const isThere = tokens >= 1;
    this.#levels.set(name, { tokens: isThere ? tokens - 1 : tokens, at: now });
    if (isThere) return { left: Math.floor(tokens - 1), waitMs: 0 };
    this.refused += 1;
    return { left: 0, waitMs: ((1 - tokens) / bucket.perSecond) * 1000 };
  }

  /** Others of the account have used up what there was. */
  drain(): void {
    for (const name of Object.keys(this.#buckets)) this.#levels.set(name, { tokens: 0, at: this.#now() });
  }
}
