import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bundlesOf } from './bundles.ts';

test('each spec is in one bundle; long ones and those that need a resource are alone, and no bundle is long', () => {
  const spec = fc.record({
    lease: fc.option(fc.constantFrom('guests', 'port 22'), { nil: undefined }),
    expectedSeconds: fc.integer({ min: 1, max: 300 }),
  });
  fc.assert(
    fc.property(fc.array(spec), fc.integer({ min: 1, max: 12 }), (drawn, places) => {
      const specs = drawn.map((one, index) => ({ ...one, path: `e2e/specs/${index}.spec.ts` }));
      const bundles = bundlesOf(specs, places);
      expect(bundles.flatMap(({ paths }) => paths).toSorted()).toEqual(specs.map(({ path }) => path).toSorted());
      for (const { paths, lease, expectedSeconds } of bundles) {
        if (paths.length === 1) continue;
        expect(lease).toBeUndefined();
        expect(expectedSeconds).toBeLessThanOrEqual(200);
      }
    }),
  );
});

test('bundles become shorter, so that no place is left with a long one at the end', () => {
  const specs = Array.from({ length: 100 }, (_, index) => ({
    path: `e2e/specs/${index}.spec.ts`,
    lease: undefined,
    expectedSeconds: 1 + (index % 20),
  }));
  const lengths = bundlesOf(specs, 5).map(({ expectedSeconds }) => expectedSeconds);
  expect(lengths).toEqual(lengths.toSorted((a, b) => b - a));
  expect(lengths[0]).toBeGreaterThan(150);
  for (const length of lengths.slice(-5)) expect(length).toBeLessThanOrEqual(40);
});
