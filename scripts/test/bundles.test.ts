import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bundlesOf } from './bundles.ts';

test('each spec is in one bundle; long ones and those that need a resource are alone, and no bundle is long', () => {
  const spec = fc.record({ lease: fc.option(fc.constantFrom('guests', 'port 22'), { nil: undefined }), expectedSeconds: fc.integer({ min: 1, max: 300 }) });
  fc.assert(fc.property(fc.array(spec), (drawn) => {
    const specs = drawn.map((one, index) => ({ ...one, path: `e2e/specs/${index}.spec.ts` }));
    const bundles = bundlesOf(specs);
    expect(bundles.flatMap(({ paths }) => paths).toSorted()).toEqual(specs.map(({ path }) => path).toSorted());
    for (const { paths, lease, expectedSeconds } of bundles) {
      if (paths.length === 1) continue;
      expect(lease).toBeUndefined();
      expect(expectedSeconds).toBeLessThanOrEqual(200);
    }
  }));
});
