import { describe, expect, it } from 'vitest';
import { parseRetryAfter, retryDelayMs } from './retry-after.ts';

const backOff = { attempts: 6, firstMs: 500, capMs: 20_000 };

describe('the pause before the next attempt', () => {
  it('is at least what the server asks for, but not for ever', () => {
    expect(retryDelayMs(backOff, 1, 7_000, () => 0)).toBe(7_000);
    expect(retryDelayMs(backOff, 1, 10 ** 9, () => 0)).toBe(120_000);
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
