import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pluginIds, sides } from '../../../shared/model/plugin-id.ts';
import { exampleEnvironment } from '../../../shared/plugins/render/example.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { EnvironmentDraft, type DraftContext } from './environment-draft.ts';
import { rounds } from '../../../shared/testing/rounds.ts';

const nothing: DraftContext = {
  weaker: { source: {}, destination: {} },
  providerConfiguration: new Map(),
  vm: undefined,
  catalog: undefined,
};
const cloud = (environment: object = {}, context: Partial<DraftContext> = {}) =>
  new EnvironmentDraft(
    'VM',
    { destination: { plugin: 'european-cloud', layer: { environment: environment as never } } },
    { ...nothing, ...context },
  );

describe.each(
  pluginIds.flatMap((id) => sides.filter((side) => plugins[id][side] !== undefined).map((side) => [id, side] as const)),
)('%s as a %s', (id, side) => {
  test('gives its environment back as it was, with keys that no field is for', () => {
    const environment = { ...exampleEnvironment(plugins[id], side), some_other_key: [1, { a: null }] };
    const draft = new EnvironmentDraft('VM', { [side]: { plugin: id, layer: { environment } } }, nothing);
    expect(draft.layer(side)).toEqual({ environment });
  });
});

/** Keys that mean something on every object, and texts that a value may not be made of. */
const hostileKey = fc.constantFrom(
  'toString',
  'valueOf',
  'constructor',
  'hasOwnProperty',
  '__proto__',
  'then',
  'toJSON',
  'length',
  'other',
);
const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(hostileKey, fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true }),
  fc.array(fc.dictionary(hostileKey, fc.jsonValue({ maxDepth: 1 }), { noNullPrototype: true })),
);

/** As text: `toEqual` passes over a key `__proto__`. */
const byKey = (environment: object) => JSON.stringify(Object.entries(environment).sort(([a], [b]) => (a < b ? -1 : 1)));

describe('whatever a value is, it is given back as it was', () => {
  test.each(
    pluginIds.flatMap((id) =>
      sides.filter((side) => plugins[id][side] !== undefined).map((side) => [id, side] as const),
    ),
  )('%s as a %s', (id, side) => {
    const keys = Object.keys(plugins[id][side]!.schema.shape);
    fc.assert(
      fc.property(fc.dictionary(fc.oneof(fc.constantFrom(...keys), hostileKey), hostileValue), (environment) => {
        const given = JSON.parse(JSON.stringify(environment)) as Record<string, never>;
        // A word in place of a boolean is the one thing that a form writes in its own way.
        for (const [key, value] of Object.entries(given))
          if (typeof value === 'string' || value === null) delete given[key];
        const draft = new EnvironmentDraft('VM', { [side]: { plugin: id, layer: { environment: given } } }, nothing);
        expect(byKey(draft.layer(side).environment)).toBe(byKey(given));
      }),
      { numRuns: rounds(100) },
    );
  });

  test('a value without a usable toString', () => {
    for (const value of [
      { toString: null },
      { toString: 1, valueOf: 2 },
      [{ toString: null }],
      { a: { toString: null } },
      { $secret: { toString: null } },
    ]) {
      for (const key of Object.keys(plugins['european-cloud'].destination!.schema.shape)) {
        expect(cloud({ [key]: value }).layer('destination').environment).toEqual({ [key]: value });
      }
    }
  });

  test('a JSON text that is nested very deeply stays a text', () => {
    const draft = new EnvironmentDraft(
      'VM',
      { destination: { plugin: 'compartment-cloud', layer: { environment: { network_map: [1] } } } },
      nothing,
    );
    // A list is no mapping, so that it is edited as JSON.
    const typed = '['.repeat(50_000) + ']'.repeat(50_000);
    draft.setValue('destination', 'network_map', typed);
    expect(draft.layer('destination').environment).toEqual({ network_map: typed });
  });
});

test('only the fields that a change touches are told', () => {
  const draft = cloud({ disk_bus: 'virtio' });
  const told: string[] = [];
  for (const { key } of draft.fieldsOf('destination')) draft.subscribe(`destination/${key}`, () => told.push(key));
  draft.setValue('destination', 'disk_bus', 'scsi');
  expect(told).toEqual(['disk_bus']);
});

test('a value that is typed is found wrong at its field, and right again', () => {
  const draft = cloud();
  draft.setValue('destination', 'migr_worker_volume_size', '20x');
  expect(draft.field('destination', 'migr_worker_volume_size').findings.map(({ severity }) => severity)).toEqual([
    'error',
  ]);
  draft.setValue('destination', 'migr_worker_volume_size', '20');
  expect(draft.field('destination', 'migr_worker_volume_size').findings).toEqual([]);
});

test('inherit, set and clear: what counts, and where it is from', () => {
  const draft = cloud(
    {},
    {
      weaker: {
        source: {},
        destination: { project: { environment: { disk_bus: 'virtio' } }, wave: { environment: { disk_bus: 'scsi' } } },
      },
    },
  );
  const state = () => draft.field('destination', 'disk_bus');
  expect(state()).toMatchObject({ mode: 'inherit', value: 'scsi', effective: { value: 'scsi', origin: 'wave' } });
  draft.setValue('destination', 'disk_bus', 'virtio');
  expect(state()).toMatchObject({
    mode: 'set',
    effective: { value: 'virtio', origin: 'VM' },
    inherited: { value: 'scsi', origin: 'wave' },
  });
  draft.clear('destination', 'disk_bus');
  expect(state()).toMatchObject({ mode: 'cleared', value: '', effective: undefined });
  expect(draft.layer('destination')).toEqual({ environment: {}, cleared: ['disk_bus'] });
  draft.inherit('destination', 'disk_bus');
  expect(draft.layer('destination')).toEqual({ environment: {} });
});

test('a required key is missing until some layer gives it, and never in a layer for several machines', () => {
  const missing = (draft: EnvironmentDraft) =>
    draft
      .findings()
      .filter(({ rule }) => rule.endsWith('/missing-key'))
      .map(({ path }) => path);
  expect(missing(cloud())).toContain('/destination/environment/availability_zone');
  expect(
    missing(
      cloud({}, { weaker: { source: {}, destination: { project: { environment: { availability_zone: 'eu01-1' } } } } }),
    ),
  ).not.toContain('/destination/environment/availability_zone');
  const wave = new EnvironmentDraft(
    'wave',
    { destination: { plugin: 'european-cloud', layer: { environment: {} } } },
    nothing,
  );
  expect(missing(wave)).toEqual([]);
});

test('hostile keys of a mapping stay what they are', () => {
  const map = {
    'a.b[0].c': 'x',
    '"quoted"': 'x',
    'zwei\nZeilen': 'x',
    '\u{1F680}': 'x',
    constructor: 'x',
    toString: 'x',
  };
  expect(cloud({ network_map: map }).layer('destination').environment['network_map']).toEqual(map);
});

test('a secret that was typed is kept, and shown nowhere: neither as text, nor in what counts, nor in findings', () => {
  const plugin = 'server-virtualization-manager';
  const draft = new EnvironmentDraft(
    'VM',
    { source: { plugin, layer: { environment: {} } }, destination: { plugin, layer: { environment: {} } } },
    nothing,
  );
  draft.setValue('source', 'export_template_password', 'canary-1');
  draft.setValue('destination', 'migr_template_password_map', { linux: 'canary-2', windows: { $secret: 'stored' } });
  expect(draft.layer('destination').environment['migr_template_password_map']).toEqual({
    linux: 'canary-2',
    windows: { $secret: 'stored' },
  });
  const shown = JSON.stringify([
    draft.effective('source'),
    draft.effective('destination'),
    draft.findings(),
    draft.shownLayer('source'),
    draft.shownLayer('destination'),
  ]);
  expect(shown).not.toContain('canary');
  expect(shown).toContain('stored');
  draft.replace('destination', draft.shownLayer('destination').environment);
  expect(draft.layer('destination').environment['migr_template_password_map']).toEqual({
    linux: 'canary-2',
    windows: { $secret: 'stored' },
  });
});

test('a suggestion is one until somebody sets it', () => {
  const draft = cloud({ migr_network: 'production', availability_zone: 'eu01-1' });
  draft.suggest('destination', 'migr_network', 3);
  // Nothing of it is set: there is nothing to suggest.
  draft.suggest('destination', 'machine_type', 2);
  expect([draft.suggestions().map(({ key }) => key), draft.field('destination', 'migr_network').suggestedOf]).toEqual([
    ['migr_network'],
    3,
  ]);
  draft.setValue('destination', 'migr_network', 'production');
  expect([draft.suggestions(), draft.layer('destination').environment['migr_network']]).toEqual([[], 'production']);
});

test('a field that was emptied says nothing of its own', () => {
  const draft = cloud({ availability_zone: 'eu01-1' });
  expect(draft.field('destination', 'availability_zone').isEmptied).toBeUndefined();
  draft.setValue('destination', 'availability_zone', '');
  expect(draft.field('destination', 'availability_zone')).toMatchObject({ value: '', isEmptied: true });
  expect(draft.layer('destination').environment).toEqual({});
  draft.setValue('destination', 'availability_zone', 'eu01-2');
  expect(draft.field('destination', 'availability_zone').isEmptied).toBeUndefined();
});
