import { expect, it } from 'vitest';
import { BlockTokens } from './block-tokens.ts';

const hour = 3600_000;

it('knows the blocks of a whole listing, and that those between have no data', () => {
  const tokens = new BlockTokens();
  tokens.keep(
    10,
    20,
    [
      { index: 12, token: 'a' },
      { index: 19, token: 'b' },
    ],
    hour,
    true,
  );
  expect([9, 10, 12, 19, 20].map((index) => tokens.find(index, 0))).toEqual([undefined, 'absent', 'a', 'b', undefined]);
});

it('says nothing of the blocks between those that changed', () => {
  const tokens = new BlockTokens();
  tokens.keep(
    0,
    100,
    [
      { index: 5, token: 'a' },
      { index: 7, token: undefined },
    ],
    hour,
    false,
  );
  expect([4, 5, 6, 7].map((index) => tokens.find(index, 0))).toEqual([undefined, 'a', undefined, 'absent']);
});

it('gives no token that is about to end', () => {
  const tokens = new BlockTokens();
  tokens.keep(0, 10, [{ index: 1, token: 'a' }], hour, true);
  expect([tokens.find(1, hour - 60_000), tokens.find(1, hour - 10_000)]).toEqual(['a', undefined]);
});

it('forgets the oldest pages, and those with a token that was refused', () => {
  const tokens = new BlockTokens(3);
  for (const from of [0, 10, 20])
    tokens.keep(
      from,
      from + 10,
      [
        { index: from, token: `t${from}` },
        { index: from + 1, token: `u${from}` },
      ],
      hour,
      true,
    );
  expect([0, 10, 20].map((index) => tokens.find(index, 0))).toEqual([undefined, undefined, 't20']);
  tokens.forget(20, 'another');
  expect(tokens.find(20, 0)).toBe('t20');
  tokens.forget(20, 't20');
  expect(tokens.find(21, 0)).toBeUndefined();
});
