import { describe, expect, it } from 'vitest';
import { ApiError } from './call.ts';
import { ManualClock } from './clock.ts';
import { Collection, demandQuota } from './collection.ts';

describe('a listing that is behind', () => {
  it('by listings: what is new comes late, what is gone stays a while, and both can be read by id as they are', () => {
    const lag = { ms: 0, listings: 0 };
    const disks = new Collection<{ name: string }>('disk', lag, new ManualClock());
    disks.set('old', { name: 'old' });
    lag.listings = 2;
    disks.set('new', { name: 'new' });
    disks.delete('old');
    expect(disks.demand('new')).toEqual({ name: 'new' });
    expect(() => disks.demand('old')).toThrow('disk not found');
    const names = (): string[] => disks.listed().map(({ name }) => name);
    expect([names(), names(), names()]).toEqual([['old'], ['old'], ['new']]);
  });

  it('by time', async () => {
    const clock = new ManualClock();
    const disks = new Collection<{ name: string }>('disk', { ms: 100, listings: 0 }, clock);
    disks.set('a', { name: 'a' });
    await clock.advance(99);
    expect(disks.listed()).toEqual([]);
    await clock.advance(1);
    expect(disks.listed()).toEqual([{ name: 'a' }]);
  });

  it('what was never listed does not appear because it was deleted', () => {
    const disks = new Collection<{ name: string }>('disk', { ms: 0, listings: 3 }, new ManualClock());
    disks.set('a', { name: 'a' });
    disks.delete('a');
    expect(disks.listed()).toEqual([]);
  });
});

it('a quota refuses what goes beyond it, and nothing that has no limit', () => {
  const error = (message: string): ApiError => new ApiError(413, message);
  expect(() => demandQuota({ disks: 2 }, { disks: 1 }, { disks: 1, gigabytes: 5_000 }, error)).not.toThrow();
  expect(() => demandQuota({ disks: 2 }, { disks: 2 }, { disks: 1 }, error)).toThrow(
    'quota exceeded for disks: limit 2, in use 2, requested 1',
  );
});
