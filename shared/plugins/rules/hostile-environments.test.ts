import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../model/json.ts';
import { pluginIds } from '../../model/plugin-id.ts';
import { valueAt } from '../../schema/json-pointer.ts';
import { rounds } from '../../testing/rounds.ts';
import { plugins } from '../registry.ts';
import { goldenCatalog, goldenVm } from '../testing/golden-documents.ts';

const sides = pluginIds.flatMap((id) =>
  (['source', 'destination'] as const).flatMap((side) => {
    const definition = plugins[id][side];
    return definition === undefined ? [] : [{ id, side, definition }];
  }),
);

/** Any JSON below the plugin's own keys, with words that rules look for among it. */
function environments(keys: readonly string[]): fc.Arbitrary<JsonObject> {
  const word = fc.constantFrom(
    'linux',
    'windows',
    'default',
    'disk_mappings',
    'backend_mappings',
    'disk_id',
    'destination',
    'VM Network',
    'id',
    'disk_bus',
  );
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.oneof(fc.string(), word, fc.boolean(), fc.integer(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(word, fc.string()), tie('value'), { maxKeys: 4 }),
    ),
  })).value;
  return fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: keys.length }) as fc.Arbitrary<JsonObject>;
}

describe.each(sides)('the rules of $id as a $side', ({ side, definition }) => {
  test('survive any environment and point at what is there or may be there', () => {
    fc.assert(
      fc.property(environments(Object.keys(definition.schema.shape)), (environment) => {
        const context = {
          side,
          environment,
          effective: environment,
          providerConfiguration: {},
          vm: goldenVm,
          catalog: goldenCatalog,
        };
        for (const rule of definition.rules) {
          for (const { at, from, message } of [...rule.check(context)]) {
            const root = from === 'document' ? { vm: goldenVm } : environment;
            const parent = at.length < 2 ? root : valueAt(root, at.slice(0, -1));
            expect(typeof parent, `${rule.id} at ${at.join('/')}`).toBe('object');
            expect(message.length).toBeLessThan(400);
          }
        }
      }),
      { numRuns: rounds(100) },
    );
  });
});

// Compared each with each, they would not end within the test's time.
test('a long list of unknown names is dealt with', () => {
  const disk_mappings = Array.from({ length: 50_000 }, (_, index) => ({
    disk_id: `disk-${index}x`,
    destination: 'x'.repeat(500),
  }));
  const environment = {
    storage_mappings: { disk_mappings },
    security_groups: Array.from({ length: 50_000 }, (_, index) => `g${index}`),
  };
  const context = {
    side: 'destination' as const,
    environment,
    effective: environment,
    providerConfiguration: {},
    vm: goldenVm,
    catalog: goldenCatalog,
  };
  let findings = 0;
  for (const rule of plugins['european-cloud'].destination?.rules ?? []) findings += [...rule.check(context)].length;
  expect(findings).toBeGreaterThan(100_000);
});
