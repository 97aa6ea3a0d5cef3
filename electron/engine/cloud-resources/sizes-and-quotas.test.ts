import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addNeeds, requireQuota, shortages } from './quota-needs.ts';
import { bytesOfGib, sizeInGib } from './volume-sizes.ts';

describe('the size of a volume', () => {
  it('holds the disk and wastes less than a GiB', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 43 }), (bytes) => {
        const size = sizeInGib(bytes);
        expect(bytesOfGib(size)).toBeGreaterThanOrEqual(bytes);
        expect(bytesOfGib(size) - bytes).toBeLessThan(2 ** 30);
      }),
    );
  });
});

describe('quotas', () => {
  const quotas = {
    volumes: { limit: 10, usage: 8 },
    gigabytes: { limit: 100, usage: 95 },
    vcpu: { limit: -1, usage: 500 },
  };
  it('everything that is short is named at once', () => {
    const needs = addNeeds({ volumes: 2, gigabytes: 8 }, { volumes: 1, gigabytes: 4, vcpu: 4, nics: 1 });
    expect(shortages(needs, quotas)).toEqual([
      { quota: 'volumes', needed: 3, free: 2, limit: 10 },
      { quota: 'gigabytes', needed: 12, free: 5, limit: 100 },
    ]);
    expect(() => requireQuota(needs, quotas, { gigabytes: 'GiB of volumes' })).toThrow(
      'volumes: 3 needed, 2 of 10 free; GiB of volumes: 12 needed, 5 of 100 free',
    );
  });

  it('what fits, what has no limit and what is not told pass', () => {
    expect(shortages({ volumes: 2, gigabytes: 5, vcpu: 1000, ram: 1000 }, quotas)).toEqual([]);
  });
});
