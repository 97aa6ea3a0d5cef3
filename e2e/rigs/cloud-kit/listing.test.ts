import { describe, expect, it } from 'vitest';
import { conflict } from './call.ts';
import { ManualClock } from './clock.ts';
import { ClientTokens, Pages } from './listing.ts';

describe('pages', () => {
  it('go through a listing as it was at the first page, and the same token gives the same page again', () => {
    const pages = new Pages(new ManualClock());
    const items = [1, 2, 3, 4, 5];
    const first = pages.page(items, { limit: 2, asked: 'disks' });
    const second = pages.page([9, ...items], { limit: 2, asked: 'disks', token: first.next });
    const again = pages.page([], { limit: 2, asked: 'disks', token: first.next });
    const last = pages.page([], { limit: 2, asked: 'disks', token: second.next });
    expect([first.items, second.items, again.items, last]).toEqual([
      [1, 2],
      [3, 4],
      [3, 4],
      { items: [5], next: undefined },
    ]);
  });

  it('refuse a token of another listing, one that nobody gave out, and one that is too old', async () => {
    const clock = new ManualClock();
    const pages = new Pages(clock, { lifetimeMs: 1_000 });
    const { next } = pages.page([1, 2], { limit: 1, asked: 'disks of a' });
    expect(() => pages.page([], { limit: 1, asked: 'disks of b', token: next })).toThrow('not valid for this listing');
    expect(() => pages.page([], { limit: 1, asked: 'disks of a', token: 'made up' })).toThrow(
      'not valid for this listing',
    );
    await clock.advance(1_001);
    expect(() => pages.page([], { limit: 1, asked: 'disks of a', token: next })).toThrow('expired');
  });
});

describe('client tokens', () => {
  const tokens = (): ClientTokens =>
    new ClientTokens((token) => conflict(`${token} was used with other parameters`, 'IdempotentParameterMismatch'));

  it('do the same request once, also when the second comes before the first has ended', async () => {
    const book = tokens();
    let made = 0;
    const make = async (): Promise<number> => Promise.resolve((made += 1));
    const results = await Promise.all([
      book.once('Create', 't', { size: 1 }, make),
      book.once('Create', 't', { size: 1 }, make),
    ]);
    expect({ results, other: await book.once('Create', undefined, { size: 1 }, make), made }).toEqual({
      results: [1, 1],
      other: 2,
      made: 2,
    });
  });

  it('refuse other parameters, and forget what failed', async () => {
    const book = tokens();
    await expect(book.once('Create', 't', { size: 1 }, () => Promise.reject(new Error('no space')))).rejects.toThrow(
      'no space',
    );
    expect(await book.once('Create', 't', { size: 2 }, () => 'made')).toBe('made');
    await expect(book.once('Create', 't', { size: 3 }, () => 'made')).rejects.toMatchObject({
      status: 409,
      code: 'IdempotentParameterMismatch',
    });
  });
});
