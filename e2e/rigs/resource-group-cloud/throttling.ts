import { ApiError, type Operation, type Reply } from '../cloud-kit/call.ts';
import type { World } from './world.ts';

/** A bucket of tokens of a subscription: each request takes one, and so many come back a second. */
export interface Bucket {
  readonly size: number;
  readonly perSecond: number;
}

export type RequestKind = 'reads' | 'writes' | 'deletes';

/** What the vendor documents for each subscription and region. */
export const documentedBuckets: Readonly<Record<RequestKind, Bucket>> = {
  reads: { size: 250, perSecond: 25 }, writes: { size: 200, perSecond: 10 }, deletes: { size: 200, perSecond: 10 },
};

/** Counts the requests of one subscription, and says with each answer how many are left; refuses those for which none is. */
export class Throttling {
  /** Undefined: nothing is refused, and all of the documented buckets is always left. */
  readonly #buckets: Partial<Readonly<Record<RequestKind, Bucket>>>;
  readonly #levels = new Map<RequestKind, { tokens: number; at: number }>();

  constructor(buckets: Partial<Readonly<Record<RequestKind, Bucket>>> = {}) {
    this.#buckets = buckets;
  }

  /** An operation of the Resource Manager with what the quotas add to it. */
  over(method: string, operation: Operation<World>): Operation<World> {
    const kind: RequestKind = method === 'GET' || method === 'HEAD' ? 'reads' : method === 'DELETE' ? 'deletes' : 'writes';
    return async (call) => {
      const remaining = this.#take(kind);
      const reply: Reply = await operation(call);
      return { ...reply, headers: { [`x-ms-ratelimit-remaining-subscription-${kind}`]: String(remaining), ...reply.headers } };
    };
  }

  #take(kind: RequestKind): number {
    const bucket = this.#buckets[kind];
    if (bucket === undefined) return documentedBuckets[kind].size - 1;
    const now = Date.now();
    const level = this.#levels.get(kind) ?? { tokens: bucket.size, at: now };
    const tokens = Math.min(bucket.size, level.tokens + ((now - level.at) / 1000) * bucket.perSecond);
    this.#levels.set(kind, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
    if (tokens >= 1) return Math.floor(tokens - 1);
    throw new ApiError(429, `Number of ${kind} for subscription exceeded the limit. Please try again after some time.`, {
      code: 'SubscriptionRequestsThrottled', headers: { 'retry-after': String(Math.ceil((1 - tokens) / bucket.perSecond)), [`x-ms-ratelimit-remaining-subscription-${kind}`]: '0' },
    });
  }
}
