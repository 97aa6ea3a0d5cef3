import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backOffDelay, parseRetryAfter } from './back-off.ts';

const backOff = { attempts: 6, firstMs: 500, capMs: 20_000 };

describe('the pause before the next attempt', () => {
  it('doubles, half of it random, and never passes its cap', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempt, random) => {
        const full = Math.min(20_000, 500 * 2 ** (attempt - 1));
        const pause = backOffDelay(backOff, attempt, undefined, () => random);
        expect(pause).toBeGreaterThanOrEqual(full / 2);
        expect(pause).toBeLessThanOrEqual(full);
      }),
    );
  });

  it('is at least what the server asks for, but not for ever', () => {
    expect(backOffDelay(backOff, 1, 7_000, () => 0)).toBe(7_000);
    expect(backOffDelay(backOff, 1, 10 ** 9, () => 0)).toBe(120_000);
  });
});

describe('Retry-After', () => {
  it.each([
    ['7', 7_000],
    ['Thu, 01 Jan 2026 00:00:09 GMT', 9_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['soon', undefined],
    [null, undefined],
  ])('%s', (text, expected) => {
    expect(parseRetryAfter(text, Date.UTC(2026, 0, 1))).toBe(expected);
  });
});
