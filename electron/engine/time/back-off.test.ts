import fc from 'fast-check';
import { expect, it } from 'vitest';
import { backOffMs } from './back-off.ts';

it('a pause doubles, half of it random, and never passes its cap', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (failures, random) => {
        const full = Math.min(20_000, 500 * 2 ** (failures - 1));
        const pause = backOffMs({ firstMs: 500, capMs: 20_000 }, failures, () => random);
        expect(pause).toBeGreaterThanOrEqual(full / 2);
        expect(pause).toBeLessThanOrEqual(full);
      },
    ),
  );
});
