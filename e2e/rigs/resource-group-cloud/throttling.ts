import { ApiError, type Operation, type Reply } from '../cloud-kit/call.ts';
import { TokenBuckets, type Bucket } from '../cloud-kit/token-buckets.ts';
import type { World } from './world.ts';

export type RequestKind = 'reads' | 'writes' | 'deletes';

/** What the vendor documents for each subscription and region. */
export const documentedBuckets: Readonly<Record<RequestKind, Bucket>> = {
  reads: { size: 250, perSecond: 25 },
  writes: { size: 200, perSecond: 10 },
  deletes: { size: 200, perSecond: 10 },
};

/** Counts the requests of one subscription, and says with each answer how many are left; refuses those for which none is. */
export class Throttling {
  /** A kind without a bucket: nothing is refused, and all of the documented one is always left. */
  readonly #buckets: TokenBuckets;

  constructor(buckets: Partial<Readonly<Record<RequestKind, Bucket>>> = {}) {
    this.#buckets = new TokenBuckets(buckets as Readonly<Record<string, Bucket>>);
  }

  /** An operation of the Resource Manager with what the quotas add to it. */
  over(method: string, operation: Operation<World>): Operation<World> {
    const kind: RequestKind =
      method === 'GET' || method === 'HEAD' ? 'reads' : method === 'DELETE' ? 'deletes' : 'writes';
    return async (call) => {
      const remaining = this.#take(kind);
      const reply: Reply = await operation(call);
      return {
        ...reply,
        headers: { [`x-ms-ratelimit-remaining-subscription-${kind}`]: String(remaining), ...reply.headers },
      };
    };
  }

  #take(kind: RequestKind): number {
    const { left, waitMs } = this.#buckets.take(kind) ?? { left: documentedBuckets[kind].size - 1, waitMs: 0 };
    if (waitMs === 0) return left;
    throw new ApiError(
      429,
      `Number of ${kind} for subscription exceeded the limit. Please try again after some time.`,
      {
        code: 'SubscriptionRequestsThrottled',
        headers: {
          'retry-after': String(Math.ceil(waitMs / 1000)),
          [`x-ms-ratelimit-remaining-subscription-${kind}`]: '0',
        },
      },
    );
  }
}
