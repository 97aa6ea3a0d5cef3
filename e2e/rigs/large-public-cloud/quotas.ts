import { ApiError } from '../cloud-kit/call.ts';
import { TokenBuckets, type Bucket } from '../cloud-kit/token-buckets.ts';

/** What the vendor documents for an account and region: each action of EC2 has a bucket of its own, by its kind; the EBS direct APIs count requests a second. */
const kinds = {
  reading: { size: 100, perSecond: 20 },
  changing: { size: 50, perSecond: 5 },
} as const;
const ofActions: Readonly<Record<string, Bucket>> = {
  RunInstances: { size: 5, perSecond: 2 },
  GetSnapshotBlock: { size: 1000, perSecond: 1000 },
  ListChangedBlocks: { size: 50, perSecond: 50 },
  ListSnapshotBlocks: { size: 50, perSecond: 50 },
};

/** Requests of one account and region, refused as each service does where there were too many. */
export class RequestQuotas extends TokenBuckets {
  constructor(actions: readonly string[], now: () => number) {
    super(
      Object.fromEntries(
        actions.map((action) => [
          action,
          ofActions[action] ?? (action.startsWith('Describe') ? kinds.reading : kinds.changing),
        ]),
      ),
      now,
    );
  }

  /** @throws ApiError without a time after which to come again, as these services give none */
  admit(service: string, action: string): void {
    if ((this.take(action)?.waitMs ?? 0) === 0) return;
    if (service === 'ec2') throw new ApiError(503, 'Request limit exceeded.', { code: 'RequestLimitExceeded' });
    throw new ApiError(400, 'Too many requests for this account', {
      code: 'RequestThrottledException',
      members: { Reason: 'ACCOUNT_THROTTLED' },
    });
  }
}
