import type { Clock } from '../../../time/clock.ts';

/**
 * The cloud counts requests by kind in buckets that fill again by so many a second, and says with each answer how many are left
 * (`x-ms-ratelimit-remaining-subscription-reads`, `-writes`, `-deletes`; of Compute also `x-ms-ratelimit-remaining-resource`, by policy and minutes). A bucket
 * that is nearly empty is not emptied: requests are then sent as fast as it fills. One that is empty answers 429 and says after how many seconds to come again,
 * and all requests of its kind wait until then, rather than each of them finding out.
 */
export interface RequestPace {
  /** Waits until a request may be sent. */
  before(method: string, url: URL, signal: AbortSignal): Promise<void>;
  after(
    method: string,
    url: URL,
    answer: { readonly status: number; readonly headers: Headers },
    retryAfterMs: number | undefined,
  ): void;
}

type Kind = 'reads' | 'writes' | 'deletes';

/** What the vendor documents for a subscription: so many tokens a second. */
const millisecondsPerToken: Readonly<Record<Kind, number>> = { reads: 40, writes: 100, deletes: 100 };
/** Tokens that are left alone, for requests under way and for others who use the subscription. */
const reserve = 10;
/** The longest that a hint makes one request wait. */
const longestMs = 120_000;

const kindOf = (method: string): Kind =>
  method === 'GET' || method === 'HEAD' ? 'reads' : method === 'DELETE' ? 'deletes' : 'writes';

/** Requests of one client, which are those of one subscription. */
export function createRequestPace(clock: Clock): RequestPace {
  /** By kind: when the next request may be sent, and how far apart they are. */
  const lanes = new Map<string, { nextAt: number; spacingMs: number }>();
  const laneOf = (key: string): { nextAt: number; spacingMs: number } => {
    const lane = lanes.get(key) ?? { nextAt: 0, spacingMs: 0 };
    lanes.set(key, lane);
    return lane;
  };
  const keyOf = (method: string, url: URL): string => `${url.host} ${kindOf(method)}`;

  return {
    async before(method, url, signal) {
      const lane = laneOf(keyOf(method, url));
      const now = clock.monotonic();
      const at = Math.max(now, lane.nextAt);
      // The next one comes after this one, also while this one waits.
      lane.nextAt = lane.spacingMs === 0 ? lane.nextAt : at + lane.spacingMs;
      if (at > now) await clock.sleep(at - now, signal);
    },
    after(method, url, { status, headers }, retryAfterMs) {
      const lane = laneOf(keyOf(method, url));
      lane.spacingMs = spacingOf(kindOf(method), headers);
      if (status !== 429) return;
      lane.nextAt = Math.max(lane.nextAt, clock.monotonic() + Math.min(longestMs, retryAfterMs ?? 1_000));
    },
  };
}

/** How far apart the next requests are; 0: enough are left. */
export function spacingOf(kind: Kind, headers: Headers): number {
  const ofSubscription = numberIn(headers.get(`x-ms-ratelimit-remaining-subscription-${kind}`));
  const spacing = ofSubscription !== undefined && ofSubscription <= reserve ? millisecondsPerToken[kind] : 0;
  // `Microsoft.Compute/HighCostGet3Min;107,Microsoft.Compute/HighCostGet30Min;980`
  const ofPolicies = (headers.get('x-ms-ratelimit-remaining-resource') ?? '').split(',').map((policy) => {
    const [name = '', left] = policy.split(';');
    const minutes = Number(/(\d+)Min$/.exec(name.trim())?.[1] ?? 0);
    const remaining = numberIn(left ?? null);
    if (remaining === undefined || remaining > reserve) return 0;
    // What is left of a window has to do for as much of it as may still come.
    return Math.min(longestMs, (minutes * 60_000) / (10 * (remaining + 1)));
  });
  return Math.max(spacing, ...ofPolicies);
}

function numberIn(text: string | null): number | undefined {
  return text !== null && /^\s*\d+\s*$/.test(text) ? Number(text) : undefined;
}
